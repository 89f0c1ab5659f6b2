import type { Checkout } from '../../../../shared/schemas/checkout.ts'
import { strings as t } from './strings.ts'

/** The keys of a new checkout. */
export type CheckoutKeys = { readonly page: string; readonly server: string }

type EnvValues = {
  readonly url: string
  readonly proxyKey: string
  /** Null once the keys are no longer shown. */
  readonly keys: CheckoutKeys | null
}

/** The port of the server, which is that of its page. */
export function getPort({ origin }: Pick<Checkout, 'origin'>): string {
  const { port, protocol } = new URL(origin)
  return port !== '' ? port : protocol === 'https:' ? '443' : '80'
}

/**
 * The variables that the server of a checkout reads. SECURITY: no text of the owner, because a name may hold what a
 * language reads as a variable, or cannot read at all.
 */
export function formatCheckoutEnv(
  checkout: Pick<Checkout, 'origin'>,
  { url, proxyKey, keys }: EnvValues,
): string {
  return [
    `COFFER_BASE_URL=${url}`,
    ...(keys ? [] : [t.envOnce]),
    `COFFER_PUBLIC_KEY=${keys?.page ?? ''}`,
    `COFFER_API_KEY=${keys?.server ?? ''}`,
    `COFFER_PROXY_KEY=${proxyKey}`,
    `PORT=${getPort(checkout)}`,
  ].join('\n')
}
