/// <reference types="vite/client" />
import type { BasisTheoryElements, CreateToken } from '@basis-theory/react-elements'
import { BasisTheory3ds } from '@basis-theory/web-threeds'
import type { Order } from '../shop/orders.ts'
import type { Wallet, WalletCard } from '../shop/wallet-cards.ts'

const { VITE_VAULT_URL: vault, VITE_PUBLIC_KEY: key } = import.meta.env

/** The official 3D Secure client, configured for Coffer. */
const { createSession, startChallenge } = BasisTheory3ds(key, {
  apiBaseUrl: vault,
  sdkBaseUrl: `${vault}/3ds`,
  disableTelemetry: true,
})

type Challenge = Parameters<typeof startChallenge>[0]

/**
 * Pays with the values of the elements in `data`, and returns the outcome of the order. The card goes from the frames
 * of the elements to the vault: the page and the shop's server only see a token. If the bank challenges the cardholder,
 * its page is shown in `dialog`.
 */
export async function pay(
  bt: BasisTheoryElements,
  data: CreateToken['data'],
  dialog: HTMLDialogElement,
): Promise<Order['status']> {
  const token = await bt.tokens.create({ type: 'card', data })
  const session = await createSession({ tokenId: token.id })
  const { id, challenge } = await ask('POST', '/orders', { session: session.id })
  if (challenge) await show(challenge, dialog)
  return waitForStatus(await ask('POST', `/orders/${id}/pay`))
}

/**
 * Pays with a card of a wallet, and returns the outcome of the order. The page sees encrypted payment data, which the
 * shop's server passes to the vault. With a real wallet, they are from the browser instead of `/wallet`.
 */
export async function payByWallet(wallet: Wallet, card: WalletCard): Promise<Order['status']> {
  const payment = await ask('POST', '/wallet', { wallet, card })
  return waitForStatus(await ask('POST', '/wallet-orders', payment))
}

async function waitForStatus(started: Order): Promise<Order['status']> {
  let order = started
  // Polls until the vault's webhook has arrived.
  while (order.status === 'processing') {
    await new Promise((resolve) => setTimeout(resolve, 200))
    order = await ask('GET', `/orders/${order.id}`)
  }
  return order.status
}

/** Shows the bank's page until the cardholder has answered, or closes the dialog, which does not confirm anything. */
async function show(challenge: Challenge, dialog: HTMLDialogElement): Promise<void> {
  dialog.innerHTML = '<div id="challenge"></div>'
  dialog.showModal()
  const closed = new Promise((resolve) => dialog.addEventListener('close', resolve, { once: true }))
  const answered = startChallenge({
    ...challenge,
    containerId: 'challenge',
    windowSize: '05',
    timeout: 5 * 60_000,
  })
  await Promise.race([answered, closed]).finally(() => dialog.close())
}

async function ask(method: string, url: string, body?: object) {
  const response = await fetch(url, {
    method,
    headers: { 'Content-Type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  })
  if (!response.ok) throw new Error(`The shop answered ${response.status}.`)
  return response.json()
}
