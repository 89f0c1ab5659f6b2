import type { Merchant } from '../../../shared/schemas/merchant.ts'
import { RequestSnippet } from '../../parts/api/request-snippet.tsx'
import { vault } from '../../parts/connection/vault.ts'
import { Chip } from '../../ui/chip.tsx'
import { Empty } from '../../ui/empty.tsx'
import styles from '../../ui/row-table.module.css'
import { MarkedText } from '../../ui/text/marked-text.tsx'
import { RemovableRows } from './removable-rows.tsx'
import { strings } from './strings.ts'
import { TableView } from './table-view.tsx'

const t = strings.merchants
const tenant_id = 'self'
const changing = ['merchant'] as const

/** The merchants of the tenant, with the services that they are registered for. */
export function MerchantTable() {
  return (
    <TableView read={() => vault.merchants.list({ tenant_id, size: 100 })} changing={changing}>
      {({ data, pagination: { total_items } }) =>
        total_items === 0 ? (
          <NoMerchants />
        ) : (
          <>
            <Rows of={data} />
            {total_items > data.length && (
              <span className="faint">{strings.newest(data.length, total_items.toLocaleString('en'))}</span>
            )}
          </>
        )
      }
    </TableView>
  )
}

function Rows({ of }: { readonly of: readonly Merchant[] }) {
  return (
    <RemovableRows
      rows={of}
      labels={[t.name, t.id, t.services]}
      strings={t}
      getName={({ name }) => name}
      renderCells={({ id, name, services }) => (
        <>
          <td className={styles.text}>
            <MarkedText text={name} />
          </td>
          <td className={`mono ${styles.short}`}>{id}</td>
          <td>
            {Object.entries(services).map(
              ([service, { status }]) => status === 'active' && <Chip key={service}>{service}</Chip>,
            )}
          </td>
        </>
      )}
      onRemove={({ id }) => vault.merchants.remove({ tenant_id, id })}
    />
  )
}

function NoMerchants() {
  return (
    <Empty icon="bank" title={t.empty.title} text={t.empty.text}>
      <RequestSnippet
        request={{
          method: 'POST',
          path: '/tenants/self/merchants',
          key: t.empty.keyHint,
          body: { name: 'Shop' },
          params: ['self'],
          route: '/tenants/{tenant_id}/merchants',
        }}
        wrap
      />
    </Empty>
  )
}
