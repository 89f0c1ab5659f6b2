import { formatAmount } from '../../../shared/format-amount.ts'
import type { ChallengeChoice, ThreeDsPage } from '../../../shared/schemas/three-ds.ts'
import { createPage, escapeHtml, type PageOrigins } from '../cardholder-pages/page.ts'
import type { HtmlPage } from '../html-page.ts'

type Button = readonly [choice: ChallengeChoice, label: string]

const challengeTexts: Readonly<Record<string, string>> = {
  static: 'Your bank asks you to confirm it.',
  'out-of-band': 'Your bank asks you to confirm it in its app. Answer here instead.',
  decoupled: 'Your bank will contact you later. Answer here instead.',
}

/** The challenge of a session, as a bank would show it (rule S-01). Works without scripts and by keyboard. */
export function challengePage(origins: PageOrigins, page: ThreeDsPage): HtmlPage {
  const { merchant, purchase, card_brand, challenge_type, passes_as, acs_transaction_id } = page
  const rows: [string, string][] = [
    ...(merchant === null ? [] : [['Shop', merchant] as [string, string]]),
    ...(purchase === null ? [] : [['Amount', formatAmount(purchase)] as [string, string]]),
    ['Card', card_brand],
  ]
  const [first, ...others] = listButtons(passes_as)
  const action = `/3ds/acs/challenge/${encodeURIComponent(acs_transaction_id)}/answer`
  return createPage(origins, {
    title: 'Confirm your payment',
    body: `<main>
<h1>Confirm your payment</h1>
<p>${escapeHtml(challengeTexts[challenge_type ?? ''] ?? '')}</p>
<dl>${rows.map(([name, value]) => `<dt>${escapeHtml(name)}</dt><dd>${escapeHtml(value)}</dd>`).join('')}</dl>
<form method="post" action="${escapeHtml(action)}">
${first ? `<button class="first" name="choice" value="${first[0]}">${first[1]}</button>` : ''}
${others.map(([choice, label]) => `<button name="choice" value="${choice}">${label}</button>`).join('\n')}
</form>
<p class="note stand-in">${escapeHtml(describeStandIn(passes_as))}</p>
</main>`,
  })
}

function listButtons(passes_as: ThreeDsPage['passes_as']): Button[] {
  const cancel = ['cancel', 'Cancel'] as const
  if (passes_as === 'successful') return [['pass', 'Approve'], ['fail', 'Decline'], cancel]
  if (passes_as === 'failed') return [['pass', 'Continue'], cancel]
  return [['pass', 'Continue'], ['fail', 'Decline'], cancel]
}

function describeStandIn(passes_as: ThreeDsPage['passes_as']): string {
  const page = 'Coffer shows this page instead of a bank, because this is a test card.'
  if (passes_as === null || passes_as === 'successful') return page
  return `${page} With this card, “Continue” results in the status “${passes_as}”.`
}

const resultTexts: Readonly<Record<string, string>> = {
  successful: 'The payment is confirmed.',
  attempted: 'The attempt to confirm the payment was recorded.',
  failed: 'The payment is not confirmed.',
  unavailable: 'The bank could not be reached.',
  rejected: 'The bank rejected the payment.',
}

/** Shows the cardholder the result of a challenge, and posts the result to the embedding page or the opener. */
export function createChallengeDonePage(origins: PageOrigins, { session_id, status }: ThreeDsPage): HtmlPage {
  return createPage(origins, {
    title: 'Payment',
    body: `<main><h1>${escapeHtml(resultTexts[status ?? ''] ?? '')}</h1><p class="note">You can go back to the shop.</p></main>`,
    data: { id: session_id, status: status ?? '' },
    // Any page may receive this message (target `*`): it tells the embedding page nothing new, and only allowed pages
    // can embed this one.
    script: `
const { id, status } = document.body.dataset
const isFramed = window.parent !== window
const waiting = isFramed ? window.parent : window.opener
if (waiting) {
  waiting.postMessage({ type: 'challenge', isCompleted: true, id, authenticationStatus: status }, '*')
  if (!isFramed) window.close()
}
`,
  })
}
