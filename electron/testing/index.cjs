// `require('coffer/testing')`, for projects in CommonJS. Loading is asynchronous, which fits: `startCoffer` returns a
// promise.
const { runInThisContext } = require('node:vm')
// Jest runs this file in a context without `import()` and with its own module system. Node's main context has Node's
// own `import()` and `require`, so load `import.cjs` there.
const { createRequire } =
  runInThisContext('process').getBuiltinModule?.('node:module') ?? require('node:module')
const load = createRequire(__filename)('./import.cjs')

exports.startCoffer = async (options) => (await load()).startCoffer(options)
