import { createConfigurationError } from './errors.ts'
import { coffer, pageOrigin } from './globals.ts'
import { createInstance, type Instance } from './instance.ts'
import { hasElement } from './payload.ts'

// The script for the page: defines window.BasisTheoryElements, which the official packages find and use, and
// window.basistheory for pages that have no package.

const members = ['tokens', 'tokenize', 'tokenIntents', 'proxy', 'sessions', 'client', 'device'] as const

let newest: Instance | null = null

/**
 * Initializes Elements for a key. Afterwards, `window.BasisTheoryElements` has the same members as the
 * result. Accepts the arguments of every version of the official packages, but uses only the key and the
 * sixth argument, `debug`. The others choose hosts and telemetry.
 */
async function init(...[apiKey, , , , , debug]: readonly unknown[]) {
  if (pageOrigin === coffer) {
    // SECURITY: a page with this origin could read the frames.
    throw createConfigurationError(
      'Elements do not work in a page of Coffer’s own origin. Serve the page from another origin, such as another port.',
    )
  }
  const instance = createInstance(typeof apiKey === 'string' ? apiKey : '', debug === true)
  newest = instance
  return { ...instance, init }
}

/** Does what the loader of the official script tag does. Of its options, it uses only `debug`. */
async function initByOptions(apiKey?: unknown, options?: { readonly debug?: unknown }) {
  if (!apiKey) throw new Error('API key is required')
  return init(apiKey, undefined, undefined, undefined, undefined, options?.debug)
}

function requireInstance(): Instance {
  if (!newest) throw new Error('Elements were not initialized: call init first.')
  return newest
}

/** Whether the script replaces the oldest official one, which is at the root of its host and defines BasisTheory. */
function isOldestScript(): boolean {
  const source = document.currentScript?.getAttribute('src')
  return typeof source === 'string' && new URL(source, document.baseURI).pathname === '/'
}

const page = window as { BasisTheoryElements?: unknown; basistheory?: unknown; BasisTheory?: unknown }

// If the script is loaded twice, the first one's elements stay.
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
  page.basistheory ??= initByOptions
  if (isOldestScript()) page.BasisTheory ??= elements
}
