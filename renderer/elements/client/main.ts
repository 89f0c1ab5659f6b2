import { configurationError } from './errors.ts'
import { coffer, pageOrigin } from './globals.ts'
import { createInstance, type Instance } from './instance.ts'
import { hasElement } from './payload.ts'

// The page's script: defines window.BasisTheoryElements, which the official packages find and use.

const members = ['tokens', 'tokenize', 'tokenIntents', 'proxy', 'sessions', 'client', 'device'] as const

let newest: Instance | null = null

/**
 * Gives the elements of a key, which `window.BasisTheoryElements` then offers too. Of the arguments, which are those of
 * every version of the official packages, the key and the sixth, `debug`, count: the others choose hosts and telemetry.
 */
async function init(...[apiKey, , , , , debug]: readonly unknown[]) {
  if (pageOrigin === coffer) {
    // SECURITY: a page of this origin could reach into the frames.
    throw configurationError('Elements are not for pages of the origin that serves them.')
  }
  const instance = createInstance(typeof apiKey === 'string' ? apiKey : '', debug === true)
  newest = instance
  return { ...instance, init }
}

function requireInstance(): Instance {
  if (!newest) throw new Error('Elements were not initialized: call init first.')
  return newest
}

const page = window as { BasisTheoryElements?: unknown }

// A script that is loaded twice leaves the elements of the first alone.
if (!page.BasisTheoryElements) {
  const elements = {
    init,
    hasElement,
    createElement: (type: unknown, options?: unknown) => requireInstance().createElement(type, options),
  }
  for (const name of members) {
    Object.defineProperty(elements, name, { get: () => newest?.[name], enumerable: true })
  }
  page.BasisTheoryElements = elements
}
