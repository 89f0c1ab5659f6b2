import { useEffect } from 'react'
import type { Merchant } from '../../../shared/schemas/merchant.ts'
import { followChanges } from '../../parts/connection/change-subscription.ts'
import { LoadedView, useLoaded } from '../../parts/connection/use-loaded.tsx'
import { vault } from '../../parts/connection/vault.ts'
import { showFailureToast } from '../../parts/messages/toast.tsx'
import { Chip } from '../../ui/chip.tsx'
import { IconButton } from '../../ui/icon-buttons.tsx'
import { TableHead } from '../../ui/table-head.tsx'
import { MarkedText } from '../../ui/text/marked-text.tsx'
import styles from './settings.module.css'
import { strings } from './strings.ts'

const t = strings.merchants
const tenant_id = 'self'

/** The merchants of the tenant, with the services that they are registered for. */
export function Merchants() {
  const merchants = useLoaded(() => vault.merchants.list({ tenant_id, size: 100 }))
  const { load } = merchants
  useEffect(() => followChanges(['merchant'], load), [load])
  return (
    <>
      <h3>{t.title}</h3>
      <LoadedView of={merchants}>
        {({ data, pagination: { total_items } }) => (
          <>
            {total_items === 0 ? <span className="faint">{t.none}</span> : <MerchantTable of={data} />}
            {total_items > data.length && (
              <span className="faint">
                {strings.members.newest(data.length, total_items.toLocaleString('en'))}
              </span>
            )}
          </>
        )}
      </LoadedView>
    </>
  )
}

function MerchantTable({ of }: { readonly of: readonly Merchant[] }) {
  return (
    <table className={styles.table}>
      <TableHead labels={[t.name, t.id, t.services]} action={t.remove('')} />
      <tbody>
        {of.map(({ id, name, services }) => (
          <tr key={id}>
            <td>
              <MarkedText text={name} />
            </td>
            <td className={`mono ${styles.id}`}>{id}</td>
            <td>
              {Object.entries(services).map(
                ([service, { status }]) => status === 'active' && <Chip key={service}>{service}</Chip>,
              )}
            </td>
            <td>
              <IconButton
                icon="close"
                label={t.remove(name)}
                onClick={() => vault.merchants.remove({ tenant_id, id }).catch(showFailureToast)}
              />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
