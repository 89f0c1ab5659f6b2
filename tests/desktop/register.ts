// Loaded before the built main bundle: `electron` is our stand-in.
import { registerHooks } from 'node:module'

const standIn = new URL('./electron-stand-in.ts', import.meta.url).href

registerHooks({
  resolve: (specifier, context, next) =>
    specifier === 'electron' ? { url: standIn, shortCircuit: true } : next(specifier, context),
})
