import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type CofferError, createInvalidError } from '../../../shared/errors.ts'
import { isObject, type JsonObject, readJson } from '../../../shared/json.ts'
import { challengeChoices, type ThreeDsPage } from '../../../shared/schemas/three-ds.ts'
import { type Engine, requireUnlocked } from '../../engine/index.ts'
import {
  assertOwnForm,
  createPage,
  escapeHtml,
  type PageOrigins,
  parseForm,
} from '../cardholder-pages/page.ts'
import { threeDsPaths } from '../cardholder-pages/paths.ts'
import type { ToResponseError } from '../failures.ts'
import type { Guard } from '../guard.ts'
import type { HtmlPage } from '../html-page.ts'
import { listOwnOrigins } from '../own-origin.ts'
import { getRequestMetadata } from '../request-metadata.ts'
import { challengePage, createChallengeDonePage } from './challenge-page.ts'
import { createMethodDonePage, createMethodPage } from './method-page.ts'
import { createRedirectPage, createReturnPage } from './redirect-page.ts'
import { createRelayPage } from './relay.ts'

type ThreeDsRouteDeps = {
  readonly engine: () => Engine | null
  readonly guard: () => Guard
  readonly toResponseError: ToResponseError
}

/** The maximum size of a form in bytes; the largest holds a browser's details. */
const MAX_FORM_BYTES = 16 * 1024

/**
 * Adds the pages that replace those of banks and of the hosted service (rule S-01). They need no key: whoever knows
 * the random id of a challenge may answer it. SECURITY: the pages show the shop and the amount, but only the brand of
 * the card.
 */
export function addThreeDsPages(
  app: FastifyInstance,
  { engine, guard, toResponseError }: ThreeDsRouteDeps,
): void {
  const getOrigins = ({ raw }: FastifyRequest): PageOrigins => ({
    own: listOwnOrigins(raw, guard()),
    allowed: guard().origins,
  })
  app.register(async (scope) => {
    scope.setErrorHandler((error, request, reply) => {
      const rejection = toResponseError(error, request)
      return sendPage(reply.code(rejection.status), createErrorPage(getOrigins(request), rejection))
    })
    const callThreeDs = async (
      request: FastifyRequest,
      name: string,
      input: object,
    ): Promise<ThreeDsPage> => {
      const open = requireUnlocked(engine())
      const caller = open.identification.identifyCardholder(getId(request))
      const route = request.routeOptions.url?.replace(':id', '{id}')
      const info = {
        trace_id: request.trace_id,
        request: `${request.method} ${route}`,
        http: getRequestMetadata(request),
      }
      const { output } = await open.call(`threeDs.${name}`, input, caller, info)
      return output as ThreeDsPage
    }
    const addGet = (url: string, createPage: (request: FastifyRequest) => HtmlPage | Promise<HtmlPage>) =>
      scope.get(url, async (request, reply) => sendPage(reply, await createPage(request)))
    const addPost = (
      url: string,
      createPage: (request: FastifyRequest, form: URLSearchParams) => Promise<HtmlPage>,
    ) =>
      scope.post(url, { bodyLimit: MAX_FORM_BYTES }, async (request, reply) =>
        sendPage(reply, await createPage(request, parseForm(request.headers['content-type'], request.body))),
      )
    const createChallengePage = (origins: PageOrigins, page: ThreeDsPage) => {
      const isWaiting = page.status === 'challenge' || page.status === 'decoupled_challenge'
      if (isWaiting) return challengePage(origins, page)
      if (page.returns_to !== null) return createReturnPage(origins, page, page.returns_to)
      return createChallengeDonePage(origins, page)
    }

    addGet(threeDsPaths.methodRelay, (request) => createRelayPage(getOrigins(request), 'method'))
    addGet(threeDsPaths.challengeRelay, (request) => createRelayPage(getOrigins(request), 'challenge'))

    addPost(threeDsPaths.method, async (request, form) => {
      const { threeDSServerTransID, threeDSMethodNotificationURL } = parseMessage(form, 'threeDSMethodData')
      // SECURITY: the URL in the message is not called; only its mode is read.
      const isPopup = /\?mode=redirect$/.test(String(threeDSMethodNotificationURL))
      return createMethodPage(
        getOrigins(request),
        parseSessionId(threeDSServerTransID, 'threeDSMethodData'),
        isPopup,
      )
    })
    addPost(threeDsPaths.methodNotification, async (request) => {
      const { session_id } = await callThreeDs(request, 'completeMethod', { id: getId(request) })
      return createMethodDonePage(getOrigins(request), session_id, /\?mode=redirect$/.test(request.url))
    })

    addGet(threeDsPaths.challenge, async (request) => {
      const page = await callThreeDs(request, 'showChallenge', { acs_transaction_id: getId(request) })
      return createChallengePage(getOrigins(request), page)
    })
    addPost(threeDsPaths.challenge, async (request, form) => {
      const { threeDSServerTransID, acsTransID } = parseMessage(form, 'creq')
      const page = await callThreeDs(request, 'showChallenge', { acs_transaction_id: getId(request) })
      if (threeDSServerTransID !== page.session_id || acsTransID !== page.acs_transaction_id)
        throw createInvalidError('creq', 'must name this session and its acs_transaction_id')
      return createChallengePage(getOrigins(request), page)
    })
    addPost(threeDsPaths.answer, async (request, form) => {
      assertOwnForm(request.headers, getOrigins(request))
      const choice = challengeChoices.find((each) => each === form.get('choice'))
      if (!choice) throw createInvalidError('choice', `must be one of ${challengeChoices.join(', ')}`)
      return createChallengePage(
        getOrigins(request),
        await callThreeDs(request, 'answerChallenge', { acs_transaction_id: getId(request), choice }),
      )
    })

    const createNextPage = (origins: PageOrigins, page: ThreeDsPage): HtmlPage => {
      if (page.returns_to !== null) return createReturnPage(origins, page, page.returns_to)
      return page.status === null
        ? createRedirectPage(origins, page.session_id)
        : createChallengePage(origins, page)
    }
    addGet(threeDsPaths.redirect, async (request) =>
      createNextPage(getOrigins(request), await callThreeDs(request, 'showRedirect', { id: getId(request) })),
    )
    addPost(threeDsPaths.redirect, async (request, form) => {
      assertOwnForm(request.headers, getOrigins(request))
      const device_info = readDevice(form, request)
      return createNextPage(
        getOrigins(request),
        await callThreeDs(request, 'authenticateRedirect', { id: getId(request), device_info }),
      )
    })
  })
}

function sendPage(reply: FastifyReply, { headers, html }: HtmlPage): FastifyReply {
  return reply.headers(headers).send(html)
}

function getId({ params }: FastifyRequest): string {
  return (params as { id: string }).id
}

function parseSessionId(value: unknown, name: string): string {
  if (typeof value === 'string' && /^[\da-f-]{36}$/i.test(value)) return value
  throw createInvalidError(name, 'must name a session')
}

const asText = [
  'browser_language',
  'browser_color_depth',
  'browser_screen_height',
  'browser_screen_width',
  'browser_tz',
  'browser_user_agent',
] as const

function readDevice(
  form: URLSearchParams,
  { headers, ip }: FastifyRequest,
): Record<string, string | boolean> {
  const values = asText.flatMap((name) => {
    const value = form.get(name)
    return value ? [[name, value] as const] : []
  })
  return {
    browser_javascript_enabled: form.get('browser_javascript_enabled') === 'true',
    browser_java_enabled: false,
    ...(headers.accept && { browser_accept_header: headers.accept.slice(0, 2048) }),
    browser_ip: ip,
    ...Object.fromEntries(values),
  }
}

function createErrorPage(origins: PageOrigins, { message }: CofferError): HtmlPage {
  return createPage(origins, {
    title: '3D Secure',
    body: `<main><h1>Something went wrong</h1><p>${escapeHtml(message)}</p></main>`,
    data: { details: message },
    script: `
const { details } = document.body.dataset
if (window.parent !== window) window.parent.postMessage({ type: 'error', isCompleted: false, id: '', details }, '*')
`,
  })
}

/** Parses a 3D Secure message in a form: a JSON object in base64url. Throws `invalid`. */
function parseMessage(form: URLSearchParams, name: 'creq' | 'threeDSMethodData'): JsonObject {
  try {
    const message = readJson(Buffer.from(form.get(name) ?? '', 'base64url').toString())
    if (isObject(message)) return message
  } catch {
    // The field is not base64url or not JSON.
  }
  throw createInvalidError(name, 'must be a 3D Secure message, as JSON in base64url')
}
