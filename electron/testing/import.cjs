module.exports = () => import('./index.mjs')
