import { createPage, type PageOrigins } from '../cardholder-pages/page.ts'
import type { HtmlPage } from '../html-page.ts'

/**
 * Creates the page that the official web client puts between a shop's page and the bank's page (rule S-01). The shop's
 * page tells the relay which form to send, and the relay returns the message of the bank's page. SECURITY: the relay
 * accepts messages only from the page that frames it, and sends forms only to this listener; its content security
 * policy also enforces where forms are sent.
 */
export function createRelayPage(origins: PageOrigins, kind: 'method' | 'challenge'): HtmlPage {
  const names =
    kind === 'method'
      ? { start: 'startMethod', address: 'threeDSMethodURL', field: 'threeDSMethodData' }
      : { start: 'startChallenge', address: 'acsURL', field: 'creq' }
  const title = kind === 'method' ? '3D Secure: method' : '3D Secure: challenge'
  return createPage(origins, { title, body: '', data: { kind, ...names }, script })
}

const script = `
const { kind, start, address, field } = document.body.dataset
let frame = null
let shop = null
function refuse(details) {
  window.parent.postMessage({ type: 'error', isCompleted: false, id: '', details }, shop)
}
window.addEventListener('message', (event) => {
  const { data, source, origin } = event
  if (typeof data !== 'object' || data === null) return
  if (frame && source === frame.contentWindow) {
    if (data.type === kind || data.type === 'error') window.parent.postMessage(data, shop)
    return
  }
  if (frame || source !== window.parent || source === window || data.type !== start) return
  shop = origin
  const url = String(data[address] ?? '')
  const value = String(data[field] ?? '')
  if (!/^https?:\\/\\//.test(url) || value === '') return refuse(address + ' or ' + field + ' is missing, or not a page of this vault')
  document.body.className = 'relay'
  frame = document.createElement('iframe')
  frame.name = 'coffer-' + kind
  frame.title = document.title
  document.body.append(frame)
  const form = document.createElement('form')
  form.method = 'POST'
  form.action = url
  form.target = frame.name
  form.hidden = true
  const input = document.createElement('input')
  input.type = 'hidden'
  input.name = field
  input.value = value
  form.append(input)
  document.body.append(form)
  document.addEventListener('securitypolicyviolation', () => refuse(address + ' is not a page of this vault'))
  form.submit()
})
`
