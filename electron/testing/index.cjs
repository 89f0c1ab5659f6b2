// `require('coffer/testing')`, for projects in CommonJS. What it gives is a promise anyway.
exports.startCoffer = async (options) => (await import('./index.mjs')).startCoffer(options)
