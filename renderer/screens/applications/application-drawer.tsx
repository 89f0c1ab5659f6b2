import type { Application } from '../../../shared/schemas/application.ts'
import { PermissionChips } from '../../parts/access/permission-chips.tsx'
import ruleCardStyles from '../../parts/access/rule-card.module.css'
import { RuleCard } from '../../parts/access/rule-card.tsx'
import { TypeChip } from '../../parts/access/type-chip.tsx'
import { useViewAs, viewAs } from '../../parts/access/view-as.ts'
import { getCheckoutHref, useApplicationCheckout } from '../../parts/checkouts/checkouts.ts'
import { useLoaded } from '../../parts/connection/use-loaded.tsx'
import { vault } from '../../parts/connection/vault.ts'
import { LinkButton } from '../../parts/navigation/link-button.tsx'
import { navigate, navigateAway, useRoute } from '../../parts/navigation/route.ts'
import { toHref } from '../../parts/navigation/route-text.ts'
import {
  Copyable,
  getStamps,
  PanelTitle,
  RecordSections,
} from '../../parts/resource-screen/drawer-sections.tsx'
import type { DrawerActions } from '../../parts/resource-screen/resource-list.tsx'
import { ActionButton } from '../../ui/icon-buttons.tsx'
import loadingStyles from '../../ui/loading.module.css'
import panelStyles from '../../ui/panel.module.css'
import { Panel, PanelSection } from '../../ui/panel.tsx'
import { Properties } from '../../ui/properties.tsx'
import { MarkedText } from '../../ui/text/marked-text.tsx'
import { Countdown } from '../../ui/time/countdown.tsx'
import { Time } from '../../ui/time/time.tsx'
import { ApplicationKeys } from './application-keys.tsx'
import { KeyHint } from './key-hint.tsx'
import { RotateKey } from './rotate-key.tsx'
import { findRotation, type Rotation } from './rotation.ts'
import { strings } from './strings.ts'
import { useApplicationKeys, useKeyUses } from './uses-store.ts'

const t = strings.drawer

type Props = DrawerActions & {
  readonly application: Application
}

export function ApplicationDrawer({ application, onClose, onEdit, onDelete }: Props) {
  const { id, name, type } = application
  const { as } = useViewAs()
  const keys = useApplicationKeys(id)
  const rotation = findRotation(keys)
  const { query } = useRoute()
  const rotating = query.rotate !== undefined && !as && keys.length > 0
  const openRotation = () => navigate(toHref('applications', id, { rotate: '1' }))
  return (
    <Panel
      label={t.label}
      title={
        <PanelTitle icon="app" name={name}>
          <TypeChip type={type} />
        </PanelTitle>
      }
      onClose={onClose}
    >
      <Actions
        application={application}
        onEdit={onEdit}
        onDelete={onDelete}
        rotation={rotation}
        onRotate={keys.length === 0 ? null : openRotation}
      />
      {type !== 'management' && (
        <PanelSection title={t.rules}>
          {application.rules.length === 0 && <span className="faint">{t.noRules}</span>}
          <div className={ruleCardStyles.list}>
            {application.rules.map((rule) => (
              <RuleCard key={rule.priority} rule={rule} />
            ))}
          </div>
          {application.rules.length > 1 && <p className="note">{t.rulesHelp}</p>}
        </PanelSection>
      )}
      <PanelSection title={t.permissions}>
        {application.permissions.length === 0 ? (
          <span className="faint">{t.noPermissions}</span>
        ) : (
          <PermissionChips permissions={application.permissions} />
        )}
        {type !== 'management' && application.permissions.length > 0 && (
          <p className="note">{t.permissionsHelp}</p>
        )}
      </PanelSection>
      <ApplicationKeys
        key={id}
        application={application}
        rotation={as ? null : rotation}
        onRotate={openRotation}
      />
      {!as && type !== 'management' && <ElementUses key={`elements ${id}`} id={id} />}
      <About application={application} />
      <RecordSections id={id} value={application} />
      {rotating && (
        <RotateKey application={application} onClose={() => navigateAway(toHref('applications', id))} />
      )}
    </Panel>
  )
}

type ActionsProps = Omit<Props, 'onClose'> & {
  readonly rotation: Rotation | null
  /** Null if there is no key to rotate. */
  readonly onRotate: (() => void) | null
}

function Actions({ application: { id, name, type }, rotation, onEdit, onRotate, onDelete }: ActionsProps) {
  const { as } = useViewAs()
  return (
    <div className={panelStyles.actions}>
      <ActionButton
        icon="eye"
        label={t.lookAs}
        disabled={as?.id === id}
        onClick={() => viewAs({ id, name, type }, () => navigate(toHref('tokens')))}
      />
      {!as && (
        <>
          <ActionButton icon="pencil" label={t.edit} shortcut="e" onClick={onEdit} />
          <ActionButton
            icon="refresh"
            label={rotation ? t.resume : t.rotate}
            onClick={() => onRotate?.()}
            disabled={onRotate === null}
          />
          <ActionButton icon="trash" label={t.remove} onClick={onDelete} />
        </>
      )}
    </div>
  )
}

function About({ application }: Pick<Props, 'application'>) {
  const { id, expires_at } = application
  const { as } = useViewAs()
  const checkout = useApplicationCheckout(id)
  return (
    <PanelSection title={t.facts}>
      <Properties
        of={{
          [t.id]: <Copyable value={id} />,
          ...getStamps(application),
          [t.lastUsed]: !as && <LastUsed id={id} />,
          [t.checkout]: !as && checkout && (
            <LinkButton to={getCheckoutHref(checkout.id)} label={<MarkedText text={checkout.name} />} />
          ),
          [t.expires]: expires_at === undefined ? t.never : <Countdown at={expires_at} />,
        }}
      />
    </PanelSection>
  )
}

function LastUsed({ id }: { id: string }) {
  const { lastUses, loaded } = useKeyUses()
  const keys = useApplicationKeys(id)
  const at = lastUses.get(id)
  if (!loaded) return <span className={loadingStyles.bone} />
  if (!at) return t.never
  const key = keys.find(({ last_used_at }) => last_used_at === at)
  return (
    <>
      <Time at={at} />
      <span className="faint">
        {key ? (
          <>
            {t.byKey} <KeyHint of={key} />
          </>
        ) : (
          t.withoutKey
        )}
      </span>
    </>
  )
}

/** The pages whose Elements used an application. Renders nothing if there are none. */
function ElementUses({ id }: { id: string }) {
  const { value: uses } = useLoaded(() => vault.stats.elements({ application_id: id }), {
    about: id,
    follows: ['application', 'application_key', 'key_use'],
  })
  if (!uses?.length) return null
  return (
    <PanelSection title={t.elements}>
      <Properties
        of={Object.fromEntries(
          uses.map((use) => [
            use.origin,
            <>
              <UsedKey id={use.key_id} /> <Time at={use.last_used_at} />
            </>,
          ]),
        )}
      />
      <p className="note">{t.elementsHelp}</p>
    </PanelSection>
  )
}

function UsedKey({ id }: { id: string | null }) {
  const key = useKeyUses((state) => state.keys).find((each) => each.id === id)
  if (key) return <KeyHint of={key} />
  return <span className="dim">{id === null ? t.bySession : t.byGoneKey}</span>
}
