import { formatAmount } from '../../../shared/format-amount.ts'
import type { OwnerThreeDsSession } from '../../../shared/schemas/three-ds.ts'
import { useActorName } from '../../parts/access/application-names.ts'
import { useIsOwner } from '../../parts/access/view-as.ts'
import { NoneCreated } from '../../parts/api/none-created.tsx'
import { vault } from '../../parts/connection/vault.ts'
import { showFailureToast } from '../../parts/messages/toast.tsx'
import { createTimeColumn } from '../../parts/resource-screen/columns.tsx'
import type { GridAction } from '../../ui/grid/grid-menu.tsx'
import type { Column } from '../../ui/grid/grid-row.tsx'
import { MarkedSpan } from '../../ui/text/marked-span.tsx'
import { type ChallengeButton, decideForCardholder, listDecisions } from './decisions.ts'
import { createActorColumn, createChoices, FilteredList, useApplicationField } from './filtered-list.tsx'
import { threeDsList } from './lists.ts'
import { strings } from './strings.ts'
import { ThreeDsDrawer } from './three-ds-drawer.tsx'
import { ThreeDsChip, ThreeDsTimeLeft } from './three-ds-state.tsx'

const t = strings.threeDs

/** The 3D Secure sessions, with the buttons that decide a challenge (rule S-01). */
export function ThreeDs() {
  const application = useApplicationField()
  const isOwner = useIsOwner()
  return (
    <FilteredList
      source={threeDsList}
      entity="three_ds_session"
      view={undefined}
      strings={t}
      icon="shield"
      fields={[
        createChoices('state', t.state, t.states),
        application,
        { field: 'card', label: t.columns.card, icon: 'card' },
        { field: 'merchant', label: t.columns.merchant, icon: 'bank' },
        { field: 'id', label: strings.id, icon: 'hash' },
      ]}
      isPermanent
      listOwnActions={(_, row) =>
        isOwner && row ? listDecisions(row).map((each) => toAction(row.id, each)) : []
      }
      columns={createColumns(useActorName())}
      empty={
        <NoneCreated
          icon="shield"
          strings={t.empty}
          path="/3ds/sessions"
          keyHint={strings.keyHint}
          body={{ token_id: '<token>', device: 'browser' }}
        />
      }
      read={(id) => vault.threeDs.describe({ id })}
      renderDrawer={(session, { onClose }) => <ThreeDsDrawer session={session} onClose={onClose} />}
    />
  )
}

function toAction(id: string, { decision, label, icon, keys }: ChallengeButton): GridAction {
  return { label, icon, keys, run: () => decideForCardholder(id, decision).catch(showFailureToast) }
}

function createColumns(getName: ReturnType<typeof useActorName>): readonly Column<OwnerThreeDsSession>[] {
  return [
    {
      id: 'card',
      label: t.columns.card,
      width: 'minmax(164px, 220px)',
      render: ({ card_brand, last4 }) => (
        <>
          {card_brand} {last4 !== undefined && <span className="mono">•••• {last4}</span>}
        </>
      ),
    },
    {
      id: 'state',
      label: t.columns.state,
      width: '124px',
      render: (session) => <ThreeDsChip session={session} />,
    },
    {
      id: 'left',
      label: t.columns.left,
      width: '84px',
      right: true,
      render: (session) => <ThreeDsTimeLeft session={session} />,
    },
    {
      id: 'amount',
      label: t.columns.amount,
      width: '120px',
      right: true,
      from: 720,
      render: ({ purchase }) => purchase && formatAmount(purchase),
    },
    {
      id: 'merchant',
      label: t.columns.merchant,
      width: 'minmax(100px, 1fr)',
      from: 620,
      render: ({ merchant }) => merchant !== undefined && <MarkedSpan className="clip" text={merchant} />,
    },
    createActorColumn(getName, 860),
    { id: 'created', label: strings.created, ...createTimeColumn(520) },
  ]
}
