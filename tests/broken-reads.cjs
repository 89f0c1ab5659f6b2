// A child process loads this through NODE_OPTIONS. Reading an id that contains "break" then throws a TypeError that
// quotes the id, as an error of a library could.
const { prototype } = require(process.env.COFFER_TEST_DRIVER ?? 'better-sqlite3')

const { prepare } = prototype
prototype.prepare = function (source) {
  const statement = prepare.call(this, source)
  const { get } = statement
  statement.get = (...given) => {
    const spelled = JSON.stringify(given, (_, value) => (typeof value === 'bigint' ? String(value) : value))
    if (spelled.includes('break')) throw new TypeError(`cannot bind ${spelled}`)
    return get.apply(statement, given)
  }
  return statement
}
