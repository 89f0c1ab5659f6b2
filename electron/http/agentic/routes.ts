import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { CofferError, createInvalidError } from '../../../shared/errors.ts'
import { type AgenticPageContent, pageChoices } from '../../../shared/schemas/agentic.ts'
import { type Engine, requireUnlocked } from '../../engine/index.ts'
import type { ToResponseError } from '../failures.ts'
import type { Guard } from '../guard.ts'
import type { HtmlPage } from '../html-page.ts'
import { listOwnOrigins } from '../own-origin.ts'
import { getRequestMetadata } from '../request-metadata.ts'
import { createPage, escapeHtml, isOwnForm } from '../three-ds/page.ts'
import { agenticPage } from '../three-ds/paths.ts'

type AgenticPageDeps = {
  readonly engine: () => Engine | null
  readonly guard: () => Guard
  readonly toResponseError: ToResponseError
}

const MAX_FORM_BYTES = 1024

/**
 * Adds the page on which a cardholder approves or cancels an enrollment, in place of a network's (rule Z-03). It needs no
 * key: whoever knows the random part of its URL may answer. SECURITY: of the card, it shows only the brand.
 */
export function addAgenticPages(
  app: FastifyInstance,
  { engine, guard, toResponseError }: AgenticPageDeps,
): void {
  app.register(async (scope) => {
    const getOrigins = ({ raw }: FastifyRequest) => ({
      own: listOwnOrigins(raw, guard()),
      allowed: guard().origins,
    })
    const sendPage = (request: FastifyRequest, reply: FastifyReply, title: string, body: string) => {
      const { headers, html }: HtmlPage = createPage(getOrigins(request), {
        title,
        body: `<main>${body}</main>`,
      })
      return reply.headers(headers).send(html)
    }
    scope.setErrorHandler((error, request, reply) => {
      const { status, message } = toResponseError(error, request)
      return sendPage(
        request,
        reply.code(status),
        'Confirm your card',
        `<h1>Something went wrong</h1><p>${escapeHtml(message)}</p>`,
      )
    })
    const callPage = async (
      request: FastifyRequest,
      name: 'showRedirect' | 'answerRedirect',
      answer = {},
    ) => {
      const { key } = request.params as { key: string }
      const open = requireUnlocked(engine())
      const info = {
        trace_id: request.trace_id,
        request: `${request.method} ${agenticPage.replace(':key', '…')}`,
        http: getRequestMetadata(request),
      }
      const caller = open.identification.identifyEnrollee(key)
      const { output } = await open.call(`enrollments.${name}`, { key, ...answer }, caller, info)
      return output as AgenticPageContent
    }
    scope.get(agenticPage, async (request, reply) => {
      const { wallet_name, brand } = await callPage(request, 'showRedirect')
      return sendPage(
        request,
        reply,
        'Confirm your card',
        `<h1>Confirm your card</h1>
<p>May agents pay with your card?</p>
<dl><dt>Wallet</dt><dd>${escapeHtml(wallet_name)}</dd><dt>Card</dt><dd>${escapeHtml(brand)}</dd></dl>
<form method="post">
<button class="first" name="choice" value="approve">Approve</button>
<button name="choice" value="cancel">Cancel</button>
</form>
<p class="note stand-in">Coffer shows this page instead of a card network, because this is a test card.</p>`,
      )
    })
    scope.post(agenticPage, { bodyLimit: MAX_FORM_BYTES }, async (request, reply) => {
      // SECURITY: only this page, or a program other than a browser, may answer for the cardholder.
      if (!isOwnForm(request.headers, getOrigins(request)))
        throw new CofferError('forbidden', 'Only Coffer’s own page may send this form.')
      const form = new URLSearchParams(Buffer.isBuffer(request.body) ? request.body.toString('latin1') : '')
      const choice = pageChoices.find((each) => each === form.get('choice'))
      if (!choice) throw createInvalidError('choice', `must be one of ${pageChoices.join(', ')}`)
      const { state } = await callPage(request, 'answerRedirect', { choice })
      const title = state === 'approved' ? 'The card is confirmed.' : 'The card is not confirmed.'
      return sendPage(
        request,
        reply,
        'Confirm your card',
        `<h1>${title}</h1><p class="note">You can close this page.</p>`,
      )
    })
  })
}
