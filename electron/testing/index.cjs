// `require('coffer/testing')`, for projects in CommonJS. Loading is asynchronous, which fits: `startCoffer` returns a
// promise.
const { runInThisContext } = require('node:vm')
// Jest runs this file in a context without `import()` and with its own module system. In Node's main context, both are
// Node's own.
const { createRequire } =
  runInThisContext('process').getBuiltinModule?.('node:module') ?? require('node:module')
const load = createRequire(__filename)('./import.cjs')

exports.startCoffer = async (options) => (await load()).startCoffer(options)
