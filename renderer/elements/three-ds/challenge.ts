import { encodeMessage, openFrame, openPopup, type Site, waitForMessage } from './frame.ts'

export type ChallengeRequest = {
  readonly sessionId: string
  readonly acsTransactionId: string
  readonly acsChallengeUrl: string
  readonly threeDSVersion: string
  readonly windowSize?: string
  readonly timeout?: number
  readonly mode?: string
  readonly containerId?: string
}

/** The widths and heights that the 3D Secure specification numbers. */
const sizes = new Map([
  ['01', ['250px', '400px']],
  ['02', ['390px', '400px']],
  ['03', ['500px', '600px']],
  ['04', ['600px', '400px']],
  ['05', ['100%', '100%']],
])

/**
 * Shows the challenge and returns its result. Rejects like the official script: with a text for an incomplete request,
 * otherwise with an error.
 */
export async function startChallenge({ pages }: Site, request: ChallengeRequest) {
  const {
    sessionId,
    acsTransactionId,
    acsChallengeUrl,
    threeDSVersion,
    windowSize = '03',
    containerId,
  } = request
  if (!sessionId) throw new Error('Session ID is required')
  const [width = '', height = ''] = sizes.get(windowSize) ?? []
  const isComplete =
    width !== '' && [acsTransactionId, threeDSVersion].every((each) => typeof each === 'string')
  if (!isComplete) throw `Invalid challenge request payload for session: ${sessionId}`
  const creq = encodeMessage({
    messageType: 'CReq',
    messageVersion: threeDSVersion,
    threeDSServerTransID: sessionId,
    acsTransID: acsTransactionId,
    challengeWindowSize: windowSize,
  })
  const sender =
    request.mode === 'redirect'
      ? openPopup('threeDSChallenge', acsChallengeUrl, 'creq', creq, `width=${width},height=${height}`)
      : openFrame(
          pages,
          'challenge',
          { acsURL: acsChallengeUrl, creq },
          { width, height, ...(containerId && { containerId }) },
        ).contentWindow
  const message = await waitForMessage('challenge', sender, request.timeout ?? 60_000).catch(
    (error: Error) => {
      throw new Error(`An error occurred during challenge: ${error.message}`)
    },
  )
  if (!message) throw new Error('Timed out waiting for a challenge response. Please try again.')
  const { id, isCompleted, authenticationStatus } = message
  return { id, isCompleted, authenticationStatus }
}
