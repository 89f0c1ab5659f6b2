import { Button } from '@mantine/core'
import type { Checkout } from '../../../../shared/schemas/checkout.ts'
import { useFollowed } from '../../../parts/access/followed-list.ts'
import { checkoutList, newCheckoutHref, removeCheckout } from '../../../parts/checkouts/checkouts.ts'
import { LightDots } from '../../../parts/checkouts/light-list.tsx'
import { navigate } from '../../../parts/navigation/route.ts'
import { createColumns, createNameColumn, createTimeColumn } from '../../../parts/resource-screen/columns.tsx'
import { PanelTitle } from '../../../parts/resource-screen/drawer-sections.tsx'
import { ResourceList, useResourceRows } from '../../../parts/resource-screen/resource-list.tsx'
import { Empty } from '../../../ui/empty.tsx'
import type { Column } from '../../../ui/grid/grid-row.tsx'
import { ActionButton } from '../../../ui/icon-buttons.tsx'
import panelStyles from '../../../ui/panel.module.css'
import { Panel } from '../../../ui/panel.tsx'
import { MarkedSpan } from '../../../ui/text/marked-span.tsx'
import { CheckoutPage } from './checkout-page.tsx'
import { NewCheckout } from './new-checkout.tsx'
import { strings as t } from './strings.ts'

const columns: readonly Column<Checkout>[] = createColumns(t.columns, {
  name: createNameColumn('card', 'minmax(140px, 1.2fr)'),
  origin: {
    width: 'minmax(160px, 1.5fr)',
    from: 620,
    render: ({ origin }) => <MarkedSpan className="mono clip" text={origin} />,
  },
  used: { width: '170px', render: (checkout) => <LightDots checkout={checkout} /> },
  created: createTimeColumn(520),
})

/** The checkouts, each with a page of its variables, its code and what was used of it. */
export function Checkouts() {
  useFollowed(checkoutList)
  const list = useResourceRows('applications', checkoutList, {
    isFixed: true,
    listQuery: { view: 'checkouts' },
  })
  return (
    <ResourceList
      list={list}
      strings={t}
      columns={columns}
      placeholderRows={2}
      empty={
        <Empty
          icon="card"
          {...t.empty}
          action={<Button onClick={() => navigate(newCheckoutHref)}>{t.create}</Button>}
        />
      }
      renderForm={(_, actions) => <NewCheckout {...actions} />}
      renderDrawer={(checkout, { onClose, onDelete }) => (
        <Panel
          label={t.drawer.label}
          title={<PanelTitle icon="card" name={checkout.name} />}
          onClose={onClose}
        >
          <div className={panelStyles.actions}>
            <ActionButton icon="trash" label={t.drawer.remove} onClick={onDelete} />
          </div>
          <CheckoutPage checkout={checkout} />
        </Panel>
      )}
      onRemove={async (id) => {
        const checkout = checkoutList.useList.getState().rows.find((each) => each.id === id)
        if (checkout) await removeCheckout(checkout)
      }}
    />
  )
}
