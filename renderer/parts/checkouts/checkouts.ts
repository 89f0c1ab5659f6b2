import type { Checkout, CreatedCheckout, NewCheckout } from '../../../shared/schemas/checkout.ts'
import { createFollowedList, useFollowed } from '../access/followed-list.ts'
import { host, vault } from '../connection/vault.ts'
import { allowOrigins } from '../listener/allow-origins.ts'
import { toHref } from '../navigation/route-text.ts'

/** The checkouts of the vault, which only the owner sees. */
export const checkoutList = createFollowedList<Checkout>('draft', ['application:read'], async () => {
  const { data } = await vault.checkouts.list()
  return { data, pagination: { total_items: data.length, total_pages: 1 } }
})

/** The page of a checkout, or the list of all. */
export const getCheckoutHref = (id: string | null = null): string =>
  toHref('applications', id, { view: 'checkouts' })

export const newCheckoutHref = toHref('applications', null, { view: 'checkouts', new: '1' })

/** Creates a checkout and lets its page call the listener. If the second fails, deletes what the first created. */
export async function createCheckout(input: Omit<NewCheckout, 'added_origin'>): Promise<CreatedCheckout> {
  const [{ settings }, { data }] = await Promise.all([host.status(), vault.checkouts.list()])
  const isAllowed = settings.origins.includes(input.origin)
  // The last of several checkouts removes the origin that the first one added.
  const added_origin = !isAllowed || data.some((each) => each.added_origin && each.origin === input.origin)
  const created = await vault.checkouts.create({ ...input, added_origin })
  try {
    if (!isAllowed) await allowOrigins([input.origin])
  } catch (error) {
    await vault.checkouts.remove({ id: created.id })
    throw error
  }
  return created
}

/** Deletes a checkout with what was made for it. Its origin stays allowed if it was before, or if another needs it. */
export async function removeCheckout({ id, origin, added_origin }: Checkout): Promise<void> {
  await vault.checkouts.remove({ id })
  const { data } = await vault.checkouts.list()
  if (!added_origin || data.some((other) => other.origin === origin)) return
  const { settings } = await host.status()
  await host.updateSettings({ origins: settings.origins.filter((each) => each !== origin) })
}

/** The checkout that an application belongs to; undefined if there is none. */
export function useApplicationCheckout(application_id: string): Checkout | undefined {
  useFollowed(checkoutList)
  const { rows } = checkoutList.useList()
  return rows.find(({ page_id, server_id }) => [page_id, server_id].includes(application_id))
}
