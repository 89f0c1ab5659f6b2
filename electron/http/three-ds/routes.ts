import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { CofferError, invalid } from '../../../shared/errors.ts'
import { challengeChoices, type ThreeDsPage } from '../../../shared/schemas/three-ds.ts'
import { unlocked } from '../../engine/door/locked.ts'
import type { Engine } from '../../engine/engine.ts'
import type { Guard } from '../guard.ts'
import { factsOf } from '../request-facts.ts'
import { challengeDonePage, challengePage } from './challenge-page.ts'
import { errorPage } from './error-page.ts'
import { formOf, messageIn } from './form.ts'
import { methodDonePage, methodPage } from './method-page.ts'
import { isOwnForm, type Page } from './page.ts'
import { paths } from './paths.ts'
import { redirectPage, returnPage } from './redirect-page.ts'
import { relayPage } from './relay.ts'

type Parts = {
  readonly engine: () => Engine | null
  readonly guard: () => Guard
  readonly refusalOf: (error: unknown, request: FastifyRequest) => CofferError
}

/** The longest form: a browser's account of itself. */
const BODY_LIMIT = 16 * 1024

/**
 * Adds the pages that stand in for banks and for the hosted service's own (rule S-01). They need no key: whoever knows the
 * random id of a challenge may answer it. SECURITY: they show what was bought and where, and nothing of the card but its
 * brand.
 */
export function addThreeDsPages(app: FastifyInstance, { engine, guard, refusalOf }: Parts): void {
  app.register(async (scope) => {
    scope.setErrorHandler((error, request, reply) => {
      const refusal = refusalOf(error, request)
      return send(reply.code(refusal.status), errorPage(guard(), refusal))
    })
    const call = async (request: FastifyRequest, name: string, input: object): Promise<ThreeDsPage> => {
      const open = unlocked(engine())
      const caller = open.identifyCardholder(paramOf(request))
      const route = request.routeOptions.url?.replace(':id', '{id}')
      const info = {
        trace_id: request.trace_id,
        request: `${request.method} ${route}`,
        http: factsOf(request),
      }
      const { output } = await open.call(`threeDs.${name}`, input, caller, info)
      return output as ThreeDsPage
    }
    const get = (url: string, answer: (request: FastifyRequest) => Page | Promise<Page>) =>
      scope.get(url, async (request, reply) => send(reply, await answer(request)))
    const post = (url: string, answer: (request: FastifyRequest, form: URLSearchParams) => Promise<Page>) =>
      scope.post(url, { bodyLimit: BODY_LIMIT }, async (request, reply) =>
        send(reply, await answer(request, formOf(request.headers['content-type'], request.body))),
      )
    const challenge = (page: ThreeDsPage) => {
      const isWaiting = page.status === 'challenge' || page.status === 'decoupled_challenge'
      if (isWaiting) return challengePage(guard(), page)
      if (page.returns_to !== null) return returnPage(guard(), page, page.returns_to)
      return challengeDonePage(guard(), page)
    }

    get(paths.methodRelay, () => relayPage(guard(), 'method'))
    get(paths.challengeRelay, () => relayPage(guard(), 'challenge'))

    post(paths.method, async (_request, form) => {
      const { threeDSServerTransID, threeDSMethodNotificationURL } = messageIn(form, 'threeDSMethodData')
      // SECURITY: the address in the message is not followed; only its mode is read.
      const isPopup = /\?mode=redirect$/.test(String(threeDSMethodNotificationURL))
      return methodPage(guard(), idOf(threeDSServerTransID, 'threeDSMethodData'), isPopup)
    })
    post(paths.methodNotification, async (request) => {
      const { session_id } = await call(request, 'completeMethod', { id: paramOf(request) })
      return methodDonePage(guard(), session_id, /\?mode=redirect$/.test(request.url))
    })

    get(paths.challenge, async (request) => {
      const page = await call(request, 'showChallenge', { acs_transaction_id: paramOf(request) })
      return challenge(page)
    })
    post(paths.challenge, async (request, form) => {
      const { threeDSServerTransID, acsTransID } = messageIn(form, 'creq')
      const page = await call(request, 'showChallenge', { acs_transaction_id: paramOf(request) })
      if (threeDSServerTransID !== page.session_id || acsTransID !== page.acs_transaction_id)
        throw invalid('creq', 'must name this session and its acs_transaction_id')
      return challenge(page)
    })
    post(paths.answer, async (request, form) => {
      // SECURITY: only the page itself, or a program that is no browser, answers for the cardholder.
      assertOwnForm(request, guard())
      const choice = challengeChoices.find((each) => each === form.get('choice'))
      if (!choice) throw invalid('choice', `must be one of ${challengeChoices.join(', ')}`)
      return challenge(
        await call(request, 'answerChallenge', { acs_transaction_id: paramOf(request), choice }),
      )
    })

    const redirected = (page: ThreeDsPage): Page => {
      if (page.returns_to !== null) return returnPage(guard(), page, page.returns_to)
      return page.status === null ? redirectPage(guard(), page.session_id) : challenge(page)
    }
    get(paths.redirect, async (request) =>
      redirected(await call(request, 'showRedirect', { id: paramOf(request) })),
    )
    post(paths.redirect, async (request, form) => {
      assertOwnForm(request, guard())
      const device_info = deviceIn(form, request)
      return redirected(await call(request, 'authenticateRedirect', { id: paramOf(request), device_info }))
    })
  })
}

function assertOwnForm({ headers }: FastifyRequest, guard: Guard): void {
  if (!isOwnForm(headers, guard))
    throw new CofferError('forbidden', 'Only the page of Coffer itself may send this.')
}

function send(reply: FastifyReply, { headers, html }: Page): FastifyReply {
  return reply.headers(headers).send(html)
}

function paramOf({ params }: FastifyRequest): string {
  return (params as { id: string }).id
}

function idOf(value: unknown, name: string): string {
  if (typeof value === 'string' && /^[\da-f-]{36}$/i.test(value)) return value
  throw invalid(name, 'must name a session')
}

const asText = [
  'browser_language',
  'browser_color_depth',
  'browser_screen_height',
  'browser_screen_width',
  'browser_tz',
  'browser_user_agent',
] as const

/** What a browser says of itself; without scripts, that is little. */
function deviceIn(form: URLSearchParams, { headers, ip }: FastifyRequest): Record<string, string | boolean> {
  const said = asText.flatMap((name) => {
    const value = form.get(name)
    return value ? [[name, value] as const] : []
  })
  return {
    browser_javascript_enabled: form.get('browser_javascript_enabled') === 'true',
    browser_java_enabled: false,
    ...(headers.accept && { browser_accept_header: headers.accept.slice(0, 2048) }),
    browser_ip: ip,
    ...Object.fromEntries(said),
  }
}
