-- Asks, grants and the index of tasks. `body` is the whole record as JSON and the truth about
-- it; the other columns are what is looked for. Times are milliseconds since 1970.

CREATE TABLE ask (
    id TEXT PRIMARY KEY NOT NULL,
    state TEXT NOT NULL,
    agent TEXT NOT NULL,
    session TEXT NOT NULL,
    digest TEXT NOT NULL,
    cwd TEXT NOT NULL,
    policy TEXT NOT NULL,
    rights TEXT NOT NULL,
    opens TEXT NOT NULL,
    created INTEGER NOT NULL,
    expires INTEGER NOT NULL,
    body TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- Equal asks wait once, also when two processes put them at the same moment.
CREATE UNIQUE INDEX ask_equal ON ask (agent, digest, cwd, policy, rights, opens)
    WHERE state = 'pending';
CREATE INDEX ask_pending ON ask (expires) WHERE state = 'pending';
CREATE INDEX ask_agent ON ask (agent, created);

CREATE TABLE grant_given (
    id TEXT PRIMARY KEY NOT NULL,
    agent TEXT NOT NULL,
    session TEXT,
    scope TEXT NOT NULL,
    created INTEGER NOT NULL,
    expires INTEGER,
    claimed_by TEXT,
    revoked INTEGER,
    body TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX grant_open ON grant_given (agent)
    WHERE claimed_by IS NULL AND revoked IS NULL;

CREATE TABLE task (
    id TEXT PRIMARY KEY NOT NULL,
    agent TEXT NOT NULL,
    session TEXT NOT NULL,
    workspace TEXT NOT NULL,
    command TEXT NOT NULL,
    state TEXT NOT NULL,
    exit_code INTEGER,
    created INTEGER NOT NULL,
    ended INTEGER
) STRICT, WITHOUT ROWID;

CREATE INDEX task_session ON task (agent, session);
