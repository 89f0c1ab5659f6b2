import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { createInvalidError } from '../../../shared/errors.ts'
import { type AgenticPageContent, agenticPageContent, pageChoices } from '../../../shared/schemas/agentic.ts'
import { type Engine, requireUnlocked } from '../../engine/index.ts'
import { assertOwnForm, createPage, escapeHtml, parseForm } from '../cardholder-pages/page.ts'
import { confirmationPath } from '../cardholder-pages/paths.ts'
import type { ToResponseError } from '../failures.ts'
import type { Guard } from '../guard.ts'
import { listOwnOrigins } from '../own-origin.ts'
import { getRequestMetadata } from '../request-metadata.ts'

type AgenticPageDeps = {
  readonly engine: () => Engine | null
  readonly guard: () => Guard
  readonly toResponseError: ToResponseError
}
type PageRequest = FastifyRequest<{ Params: { key: string } }>

const MAX_FORM_BYTES = 1024

/**
 * Adds the page on which a cardholder approves or cancels an enrollment, in place of a network's (rule Z-03). It needs no
 * key: whoever knows the random part of its URL may answer. SECURITY: of the card, it shows only the brand.
 */
export function addAgenticPages(
  app: FastifyInstance,
  { engine, guard, toResponseError }: AgenticPageDeps,
): void {
  const getOrigins = ({ raw }: Pick<FastifyRequest, 'raw'>) => ({
    own: listOwnOrigins(raw, guard()),
    allowed: guard().origins,
  })
  const sendPage = (request: Pick<FastifyRequest, 'raw'>, reply: FastifyReply, body: string) => {
    const { headers, html } = createPage(getOrigins(request), {
      title: 'Confirm your card',
      body: `<main>${body}</main>`,
    })
    return reply.headers(headers).send(html)
  }
  const callPage = async (request: PageRequest, name: 'showRedirect' | 'answerRedirect', answer = {}) => {
    const { key } = request.params
    const open = requireUnlocked(engine())
    const caller = open.identification.identifyEnrolledCardholder(key)
    const { output } = await open.call(`enrollments.${name}`, { key, ...answer }, caller, {
      trace_id: request.trace_id,
      request: `${request.method} ${confirmationPath.replace(':key', '…')}`,
      http: getRequestMetadata(request),
    })
    return agenticPageContent.parse(output)
  }
  app.register(async (scope) => {
    scope.setErrorHandler((error, request, reply) => {
      const { status, message } = toResponseError(error, request)
      const body = `<h1>Something went wrong</h1><p>${escapeHtml(message)}</p>`
      return sendPage(request, reply.code(status), body)
    })
    scope.get(confirmationPath, async (request: PageRequest, reply) =>
      sendPage(request, reply, describePage(await callPage(request, 'showRedirect'))),
    )
    scope.post(confirmationPath, { bodyLimit: MAX_FORM_BYTES }, async (request: PageRequest, reply) => {
      assertOwnForm(request.headers, getOrigins(request))
      const choice = readChoice(parseForm(request.headers['content-type'], request.body))
      return sendPage(request, reply, describePage(await callPage(request, 'answerRedirect', { choice })))
    })
  })
}

function readChoice(form: URLSearchParams): (typeof pageChoices)[number] {
  const choice = pageChoices.find((each) => each === form.get('choice'))
  if (!choice) throw createInvalidError('choice', `must be one of ${pageChoices.join(', ')}`)
  return choice
}

function describePage({ wallet_name, brand, state }: AgenticPageContent): string {
  if (state !== 'waiting') {
    const title = state === 'approved' ? 'The card is confirmed.' : 'The card is not confirmed.'
    return `<h1>${title}</h1><p class="note">You can close this page.</p>`
  }
  return `<h1>Confirm your card</h1>
<p>May agents pay with your card?</p>
<dl><dt>Wallet</dt><dd>${escapeHtml(wallet_name)}</dd><dt>Card</dt><dd>${escapeHtml(brand)}</dd></dl>
<form method="post">
<button class="first" name="choice" value="approve">Approve</button>
<button name="choice" value="cancel">Cancel</button>
</form>
<p class="note stand-in">Coffer shows this page instead of a card network, because this is a test card.</p>`
}
