-- A database as the first migration made it, with rows in it. It is never changed.
BEGIN TRANSACTION;
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
INSERT INTO "ask" VALUES('ask-1','pending','claude','terminal-1','digest of ask-1','/home/ada/engine/src','policy 1','rights 1','{}',1800000000000,1800021600000,'{"id":"ask-1","created_at_ms":1800000000000,"expires_at_ms":1800021600000,"agent":"claude","session":"terminal-1","project":"/home/ada/engine","workspace":"/home/ada/engine","cwd":"/home/ada/engine/src","command":"git push origin \u202emain\n","description":"publish","digest":"digest of ask-1","ground":{"rule":"git-push","layer":"user","reason":"publishes commits","span":[0,8]},"cause":"policy","shapes":[["git","push","origin","…"]],"reach":{"read":[],"write":[],"network":"","sandbox":""},"policy":"policy 1","rights":"rights 1","count":1,"state":{"is":"pending"}}');
INSERT INTO "ask" VALUES('ask-2','denied','claude','terminal-1','digest of ask-2','/home/ada/engine/src','policy 1','rights 1','{}',1800000000000,1800021600000,'{"id":"ask-2","created_at_ms":1800000000000,"expires_at_ms":1800021600000,"agent":"claude","session":"terminal-1","project":"/home/ada/engine","workspace":"/home/ada/engine","cwd":"/home/ada/engine/src","command":"git push origin \u202emain\n","description":"publish","digest":"digest of ask-2","ground":{"rule":"git-push","layer":"user","reason":"publishes commits","span":[0,8]},"cause":"policy","shapes":[["git","push","origin","…"]],"reach":{"read":[],"write":[],"network":"","sandbox":""},"policy":"policy 1","rights":"rights 1","count":1,"state":{"is":"denied","message":"not on a Friday","at_ms":1800000000001,"by":{"channel":"terminal","uid":1000,"pid":4711,"terminal":"/dev/pts/1"}}}');
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
INSERT INTO "grant_given" VALUES('grant-1','claude','terminal-1','call',1800000000000,1800021600000,'task-1',NULL,'{"id":"grant-1","scope":"call","subject":{"shapes":[["git","push","origin","…"]]},"agent":"claude","session":"terminal-1","project":"/home/ada/engine","policy":"policy 1","rights":"rights 1","created_at_ms":1800000000000,"expires_at_ms":1800021600000,"by":{"channel":"terminal","uid":1000,"pid":4711,"terminal":"/dev/pts/1"},"claimed_by":"task-1"}');
INSERT INTO "grant_given" VALUES('grant-2','claude',NULL,'user',1800000000000,1800021600000,NULL,1800000000002,'{"id":"grant-2","scope":"user","subject":{"shapes":[["git","push","origin","…"]]},"agent":"claude","policy":"policy 1","rights":"rights 1","created_at_ms":1800000000000,"expires_at_ms":1800021600000,"by":{"channel":"terminal","uid":1000,"pid":4711,"terminal":"/dev/pts/1"},"revoked_at_ms":1800000000002}');
INSERT INTO "grant_given" VALUES('grant-3','claude',NULL,'project',1800000000000,NULL,NULL,NULL,'{"id":"grant-3","scope":"project","subject":{"shapes":[["git","push","origin","…"]]},"opens":{"network":"example.org"},"agent":"claude","project":"/home/ada/engine","policy":"policy 1","rights":"rights 1","created_at_ms":1800000000000,"by":{"channel":"terminal","uid":1000,"pid":4711,"terminal":"/dev/pts/1"}}');
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
INSERT INTO "task" VALUES('task-1','claude','terminal-1','/home/ada/engine','make','finished',2,1800000000000,1800000000050);
CREATE UNIQUE INDEX ask_equal ON ask (agent, digest, cwd, policy, rights, opens)
    WHERE state = 'pending';
CREATE INDEX ask_pending ON ask (expires) WHERE state = 'pending';
CREATE INDEX ask_agent ON ask (agent, created);
CREATE INDEX grant_open ON grant_given (agent)
    WHERE claimed_by IS NULL AND revoked IS NULL;
CREATE INDEX task_session ON task (agent, session);
COMMIT;
PRAGMA user_version = 1;
PRAGMA journal_mode = WAL;
