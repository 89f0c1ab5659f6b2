import { encodeMessage, openFrame, openPopup, type Site, waitForMessage } from './frame.ts'

export type SessionRequest = {
  readonly tokenId?: string
  readonly tokenIntentId?: string
  /** The older name of `tokenId`. */
  readonly pan?: string
  readonly skipMethodRequest?: boolean
  readonly methodRequestMode?: string
  readonly challengeMode?: string
  readonly correlationId?: string
}

/** The members of the response that the script uses. */
type CreatedSession = {
  readonly id: string
  readonly cardBrand?: string
  readonly additional_card_brands?: readonly string[]
  readonly method_url?: string
  readonly method_notification_url?: string
}

/** How long the bank's page may take to look at the browser. Then the session continues without it. */
const METHOD_TIMEOUT_MS = 10_000

/**
 * Creates a session, and completes the method if the card has one. Rejects like the official script: with a text if no
 * session was created, and with an error if the method failed.
 */
export async function createSession(site: Site, request: SessionRequest) {
  const { session, correlationId } = await postSession(site, request).catch((error: Error) => {
    throw error.message
  })
  const { id, cardBrand, additional_card_brands: additionalCardBrands } = session
  const result = { id, cardBrand, ...(additionalCardBrands && { additionalCardBrands }) }
  if (!session.method_url || request.skipMethodRequest) return result
  await completeMethod(site, session, request.methodRequestMode).catch((error: Error) => {
    throw new Error(`An error occurred during session creation: ${error.message}`)
  })
  return { ...result, correlationId }
}

async function postSession({ apiKey, api }: Site, request: SessionRequest) {
  const { pan, tokenId, tokenIntentId, challengeMode = 'iframe', correlationId } = request
  const cards = [pan, tokenId, tokenIntentId].filter((each) => each !== undefined)
  if (cards.length === 0) throw new Error('One of pan, tokenId, or tokenIntentId is required.')
  if (cards.length > 1) throw new Error('Only one of pan, tokenId, or tokenIntentId should be provided.')
  if (!apiKey) throw new Error('Missing api key')
  const body = {
    pan,
    token_id: tokenId,
    token_intent_id: tokenIntentId,
    device: 'browser',
    device_info: readDeviceInfo(),
    web_challenge_mode: challengeMode,
  }
  const response = await fetch(`${api}/3ds/sessions`, {
    method: 'POST',
    body: JSON.stringify(body),
    headers: {
      'BT-API-KEY': String(apiKey),
      'Content-Type': 'application/json',
      ...(correlationId && { 'BT-TRACE-ID': correlationId }),
    },
  })
  if (!response.ok) throw new Error(await readProblem(response))
  const session: CreatedSession = await response.json()
  return { session, correlationId: response.headers.get('BT-TRACE-ID') ?? '' }
}

type Problem = { readonly title?: string; readonly errors?: object }

/** Returns the text with which the official script rejects for a response. */
async function readProblem(response: Response): Promise<string> {
  const { status } = response
  const problem: Problem | undefined = await response.json().catch(() => undefined)
  if (problem === undefined) return `Failed to parse error response. HTTP Status: ${status}`
  const { title, errors = {} } = problem
  if ('The card was not supported by any card schemes' in errors)
    return '3DS is not supported for the provided card'
  return title ?? `An unknown error occurred while creating session. Status: ${status}.`
}

async function completeMethod({ pages }: Site, session: CreatedSession, mode?: string): Promise<void> {
  const { id, method_url: url = '', method_notification_url: notificationUrl = '' } = session
  const encodeData = (suffix: string) =>
    encodeMessage({ threeDSServerTransID: id, threeDSMethodNotificationURL: `${notificationUrl}${suffix}` })
  if (mode === 'redirect') {
    const popup = openPopup('threeDSMethodForm', url, 'threeDSMethodData', encodeData('?mode=redirect'))
    return waitUntilClosed(popup)
  }
  const form = { threeDSMethodURL: url, threeDSMethodData: encodeData('') }
  await waitForMessage('method', openFrame(pages, 'method', form).contentWindow, METHOD_TIMEOUT_MS)
}

/** Waits until a popup closes itself, which no event reports, or until the timeout of the method. */
function waitUntilClosed(popup: Window): Promise<void> {
  const until = Date.now() + METHOD_TIMEOUT_MS
  return new Promise((resolve) => {
    const timer = setInterval(() => {
      if (!popup.closed && Date.now() < until) return
      clearInterval(timer)
      resolve()
    }, 500)
  })
}

/** The colour depths that the 3D Secure specification knows. */
const depths = [1, 4, 8, 15, 16, 24, 32, 48]

function readDeviceInfo(): Record<string, string | boolean> {
  const { language, userAgent } = navigator
  const { colorDepth, height, width } = screen
  return {
    browser_color_depth: String(depths.findLast((depth) => depth <= colorDepth) ?? 1),
    browser_javascript_enabled: true,
    browser_java_enabled: false,
    browser_language: language.split('-').slice(0, 2).join('-'),
    browser_screen_height: String(height),
    browser_screen_width: String(width),
    browser_tz: String(new Date().getTimezoneOffset()),
    browser_user_agent: userAgent,
  }
}
