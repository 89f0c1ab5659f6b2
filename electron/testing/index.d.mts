// The same types for `import` as for `require`.
export * from './index.cjs'
