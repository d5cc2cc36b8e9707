/**
 * The versions of a project file, from the first one on: each list of statements brings a file of the version before to the next. What
 * stands here is never changed, for files of every version are out there.
 */
export const MIGRATIONS: readonly (readonly string[])[] = [
  [
    `CREATE TABLE projects (
      id TEXT PRIMARY KEY,
      changed TEXT NOT NULL,
      sha256 TEXT NOT NULL,
      body TEXT NOT NULL,
      taken INTEGER NOT NULL DEFAULT 0
    ) STRICT`,
    `CREATE TABLE entries (
      project TEXT NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
      seq INTEGER NOT NULL,
      id TEXT NOT NULL,
      at TEXT NOT NULL,
      body TEXT NOT NULL,
      PRIMARY KEY (project, seq),
      UNIQUE (project, id)
    ) STRICT`,
    `CREATE TABLE runs (
      project TEXT NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
      number INTEGER NOT NULL,
      body TEXT NOT NULL,
      PRIMARY KEY (project, number)
    ) STRICT`,
    `CREATE TABLE artifacts (
      project TEXT NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
      run INTEGER NOT NULL,
      name TEXT NOT NULL,
      body TEXT NOT NULL,
      PRIMARY KEY (project, run, name)
    ) STRICT`,
  ],
];

/** "COTE": what tells a project file from any other SQLite file. */
export const APPLICATION_ID = 0x434f5445;
