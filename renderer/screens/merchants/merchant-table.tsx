import type { Merchant } from '../../../shared/schemas/merchant.ts'
import { NoneCreated } from '../../parts/api/none-created.tsx'
import { vault } from '../../parts/connection/vault.ts'
import { Chip } from '../../ui/chip.tsx'
import styles from '../../ui/row-table.module.css'
import type { DataColumn } from '../../ui/row-table.tsx'
import { MarkedText } from '../../ui/text/marked-text.tsx'
import { RemovableRows } from './removable-rows.tsx'
import { strings } from './strings.ts'
import { TableView } from './table-view.tsx'

const t = strings.merchants
const tenant_id = 'self'

/** The merchants of the tenant, with the services that they are registered for. */
export function MerchantTable() {
  return (
    <TableView read={() => vault.merchants.list({ tenant_id, size: 100 })} changing={['merchant']}>
      {({ data, pagination: { total_items } }) =>
        total_items === 0 ? (
          <NoneCreated
            icon="bank"
            strings={t.empty}
            path="/tenants/self/merchants"
            keyHint={t.empty.keyHint}
            body={{ name: 'Shop' }}
            params={['self']}
            route="/tenants/{tenant_id}/merchants"
          />
        ) : (
          <>
            <RemovableRows
              rows={data}
              columns={columns}
              strings={t}
              getName={({ name }) => name}
              onRemove={({ id }) => vault.merchants.remove({ tenant_id, id })}
            />
            {total_items > data.length && (
              <span className="faint">{strings.newest(data.length, total_items.toLocaleString('en'))}</span>
            )}
          </>
        )
      }
    </TableView>
  )
}

const columns: readonly DataColumn<Merchant>[] = [
  { label: t.name, className: styles.text, render: ({ name }) => <MarkedText text={name} /> },
  { label: t.id, className: `mono ${styles.short}`, render: ({ id }) => id },
  {
    label: t.services,
    render: ({ services }) =>
      Object.entries(services).map(
        ([service, { status }]) => status === 'active' && <Chip key={service}>{service}</Chip>,
      ),
  },
]
