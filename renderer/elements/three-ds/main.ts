import { type ChallengeRequest, startChallenge } from './challenge.ts'
import { prepareContainer } from './frame.ts'
import { createSession, type SessionRequest } from './session.ts'

// The script for 3D Secure in pages without a bundler: defines window.BasisTheory3ds, as the official one does.

/** The listener's origin, inserted when the file is served. */
declare const COFFER_ORIGIN: string

type ThreeDsOptions = { readonly apiBaseUrl?: string; readonly sdkBaseUrl?: string }

/** Returns the calls for a key. Without options, they go to the Coffer that served the script. */
function createThreeDs(apiKey: unknown, options: ThreeDsOptions = {}) {
  prepareContainer('method')
  prepareContainer('challenge')
  const site = {
    apiKey,
    // The hosted service has the API under another name than the script.
    api: options.apiBaseUrl ?? COFFER_ORIGIN.replace(/^https:\/\/3ds\./, 'https://api.'),
    pages: `${options.sdkBaseUrl ?? `${COFFER_ORIGIN}/3ds`}/pages`,
  }
  return {
    createSession: (request: SessionRequest) => createSession(site, request),
    startChallenge: (request: ChallengeRequest) => startChallenge(site, request),
  }
}

Object.assign(window, { BasisTheory3ds: createThreeDs })
