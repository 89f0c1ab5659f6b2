/** The `exports` of the driver's package hide its typings. */
declare module 'better-sqlite3' {
  const Database: typeof import('../../node_modules/better-sqlite3/index.d.ts')
  namespace Database {
    type Database = import('../../node_modules/better-sqlite3/index.d.ts').Database
    type Statement<
      Parameters extends unknown[] | object = unknown[],
      Result = unknown,
    > = import('../../node_modules/better-sqlite3/index.d.ts').Statement<Parameters, Result>
  }
  export = Database
}
