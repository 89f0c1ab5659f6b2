import { toHref } from '../../parts/navigation/route-text.ts'
import { getTypeIcon, getTypeName } from '../../parts/tokens/token-types.ts'
import { Icon } from '../../ui/icon.tsx'
import { Loading } from '../../ui/loading.tsx'
import { MarkedText } from '../../ui/text/marked-text.tsx'
import { Time } from '../../ui/time/time.tsx'
import styles from './home.module.css'
import { useHome } from './home-store.ts'
import { strings } from './strings.ts'

const t = strings.expiring

export function ExpiringCard() {
  const { expiries } = useHome()
  return (
    <section className={`${styles.tile} ${styles.tileExpiring}`}>
      <div className={styles.tileHead}>
        <h2>{t.title}</h2>
        {expiries && expiries.total > expiries.data.length && (
          <span className="faint">{t.some(expiries.data.length, expiries)}</span>
        )}
      </div>
      {expiries === null && <Loading lines={2} />}
      {expiries?.total === 0 && <p className={styles.tileNothing}>{t.none}</p>}
      <ul className={styles.expiring}>
        {expiries?.data.map(({ kind, id, label, expires_at }) => (
          <li key={`${kind} ${id}`}>
            <a href={toHref(kind === 'token' ? 'tokens' : 'applications', id)}>
              <Icon name={kind === 'token' ? getTypeIcon(label) : 'app'} size={14} />
              <span className={styles.expiringName}>
                {kind === 'token' ? getTypeName(label) : <MarkedText text={label} />}
              </span>
              <span className="mono faint clip">{id}</span>
              <Time at={expires_at} ahead />
            </a>
          </li>
        ))}
      </ul>
    </section>
  )
}
