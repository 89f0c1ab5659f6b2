import { useFollowed } from '../../parts/access/followed-list.ts'
import { checkoutList, getCheckoutHref, newCheckoutHref } from '../../parts/checkouts/checkouts.ts'
import { LightDots } from '../../parts/checkouts/light-list.tsx'
import { strings as t } from '../../parts/checkouts/strings.ts'
import { Icon } from '../../ui/icon.tsx'
import { MarkedSpan } from '../../ui/text/marked-span.tsx'
import styles from './home.module.css'

const MAX_LINES = 3

/** The newest checkouts with their lights, or a link that starts the first one. */
export function CheckoutLines() {
  useFollowed(checkoutList)
  const { rows, loaded } = checkoutList.useList()
  if (!loaded) return null
  if (rows.length === 0) {
    return (
      <a className={styles.tileLine} href={newCheckoutHref}>
        <Icon name="card" size={14} />
        {t.first}
      </a>
    )
  }
  return (
    <>
      {rows.slice(0, MAX_LINES).map((checkout) => (
        <a key={checkout.id} className={styles.tileLine} href={getCheckoutHref(checkout.id)}>
          <Icon name="card" size={14} />
          <MarkedSpan className="clip" text={checkout.name} />
          <LightDots checkout={checkout} />
        </a>
      ))}
      {rows.length > MAX_LINES && (
        <a className={styles.tileLine} href={getCheckoutHref()}>
          {t.more(rows.length - MAX_LINES)}
        </a>
      )}
    </>
  )
}
