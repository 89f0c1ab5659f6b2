// `require('coffer/testing')`, for projects in CommonJS. What it gives is a promise anyway.
const { runInThisContext } = require('node:vm')
// Jest runs this file in a context that has no `import()`, with modules of its own; Node's own context has both.
const { createRequire } =
  runInThisContext('process').getBuiltinModule?.('node:module') ?? require('node:module')
const load = createRequire(__filename)('./import.cjs')

exports.startCoffer = async (options) => (await load()).startCoffer(options)
