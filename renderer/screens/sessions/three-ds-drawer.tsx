import { Text } from '@mantine/core'
import { formatAmount } from '../../../shared/format-amount.ts'
import type { OwnerThreeDsSession } from '../../../shared/schemas/three-ds.ts'
import { useActorName } from '../../parts/access/application-names.ts'
import { useIsOwner } from '../../parts/access/view-as.ts'
import { useAction } from '../../parts/forms/use-action.ts'
import { Problem } from '../../parts/messages/problem.tsx'
import { LinkButton } from '../../parts/navigation/link-button.tsx'
import { toHref } from '../../parts/navigation/route-text.ts'
import { getStamps, IdTitle } from '../../parts/resource-screen/drawer-sections.tsx'
import { ActionButton } from '../../ui/icon-buttons.tsx'
import panelStyles from '../../ui/panel.module.css'
import { Panel, PanelSection } from '../../ui/panel.tsx'
import { Properties } from '../../ui/properties.tsx'
import { JsonView } from '../../ui/text/json-view.tsx'
import { MarkedSpan } from '../../ui/text/marked-span.tsx'
import { decideForCardholder, listDecisions } from './decisions.ts'
import { strings } from './strings.ts'
import { ThreeDsMessages } from './three-ds-messages.tsx'
import { ThreeDsChip, ThreeDsTimeLeft } from './three-ds-state.tsx'

const t = strings.threeDs

/** A 3D Secure session: the challenge to decide, what is known about the payment, and its messages. */
export function ThreeDsDrawer({ session, onClose }: { session: OwnerThreeDsSession; onClose: () => void }) {
  const { id } = session
  return (
    <Panel
      label={t.drawer.label}
      title={<IdTitle icon="shield" id={id} what={strings.id} />}
      onClose={onClose}
    >
      <Decisions session={session} />
      <PanelSection title={t.drawer.session} aside={<ThreeDsChip session={session} />}>
        <Facts session={session} />
      </PanelSection>
      <PanelSection title={t.messages.title}>
        <ThreeDsMessages session={session} />
      </PanelSection>
      <PanelSection title={strings.json}>
        <JsonView value={session} what={strings.json} />
      </PanelSection>
    </Panel>
  )
}

function Facts({ session }: { session: OwnerThreeDsSession }) {
  const getName = useActorName()
  const { card_brand, last4, token_id, token_intent_id, merchant, purchase, device } = session
  return (
    <Properties
      of={{
        [t.columns.card]: (
          <>
            {card_brand} {last4 !== undefined && <span className="mono">•••• {last4}</span>}
          </>
        ),
        [t.columns.amount]: purchase && formatAmount(purchase),
        [t.columns.merchant]: merchant,
        [session.state === 'waiting' ? t.drawer.answerIn : t.drawer.expiresIn]: (
          <ThreeDsTimeLeft session={session} />
        ),
        [t.drawer.type]: t.drawer.types(session.type, device),
        [t.drawer.challenge]: session.challenge_type && t.drawer.challenges[session.challenge_type],
        [t.drawer.reason]: session.reason && <MarkedSpan text={session.reason} />,
        [strings.by]: getName(session.created_by),
        ...getStamps(session),
        [t.drawer.token]: token_id && <LinkButton to={toHref('tokens', token_id)} mono label={token_id} />,
        [t.drawer.intent]: token_intent_id && (
          <LinkButton
            to={toHref('sessions', token_intent_id, { view: 'intents' })}
            mono
            label={token_intent_id}
          />
        ),
      }}
    />
  )
}

/** The buttons that decide a waiting challenge. */
function Decisions({ session }: { session: OwnerThreeDsSession }) {
  const isOwner = useIsOwner()
  const { runAction, problem, state } = useAction()
  const buttons = isOwner ? listDecisions(session) : []
  const { passes_as, id } = session
  if (buttons.length === 0) return null
  return (
    <>
      <div className={panelStyles.actions}>
        {buttons.map(({ decision, label, icon, keys }) => (
          <ActionButton
            key={decision}
            icon={icon}
            label={label}
            shortcut={keys}
            disabled={state === 'running'}
            onClick={() => runAction(() => decideForCardholder(id, decision))}
          />
        ))}
      </div>
      <Problem of={problem} />
      <Text className="note" my={12}>
        {passes_as === 'successful' || passes_as === undefined
          ? t.decisions.help
          : t.decisions.passesAs(t.statuses[passes_as])}
      </Text>
    </>
  )
}
