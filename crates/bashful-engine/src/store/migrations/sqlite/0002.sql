-- Managed scripts. `body` is the whole row as JSON and the truth about it; the other columns are
-- what is looked for. Times are milliseconds since 1970.

CREATE TABLE script (
    id TEXT PRIMARY KEY NOT NULL,
    name TEXT NOT NULL,
    created INTEGER NOT NULL,
    deleted INTEGER,
    revision INTEGER NOT NULL,
    body TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- A name is free again when its script is deleted.
CREATE UNIQUE INDEX script_name ON script (name) WHERE deleted IS NULL;

-- Every text that a script had, by its hash; a version is one time that it had it.
CREATE TABLE script_text (
    script TEXT NOT NULL,
    hash TEXT NOT NULL,
    content TEXT NOT NULL,
    PRIMARY KEY (script, hash)
) STRICT, WITHOUT ROWID;

CREATE TABLE script_version (
    script TEXT NOT NULL,
    number INTEGER NOT NULL,
    hash TEXT NOT NULL,
    body TEXT NOT NULL,
    PRIMARY KEY (script, number)
) STRICT, WITHOUT ROWID;

-- Apart from the script itself, so that a run and an edit do not get in each other's way.
CREATE TABLE script_run (
    script TEXT PRIMARY KEY NOT NULL,
    runs INTEGER NOT NULL,
    last TEXT NOT NULL
) STRICT, WITHOUT ROWID;
