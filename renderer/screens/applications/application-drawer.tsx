import { Button } from '@mantine/core'
import { useState } from 'react'
import type { Application } from '../../../shared/schemas/application.ts'
import { History } from '../../parts/access/history.tsx'
import { lookAs, useLooking } from '../../parts/access/looking.ts'
import { PermissionChips } from '../../parts/access/permission-chips.tsx'
import { RuleCard } from '../../parts/access/rule-card.tsx'
import { TypeChip } from '../../parts/access/type-chip.tsx'
import { vault } from '../../parts/connection/vault.ts'
import { useAct } from '../../parts/forms/use-act.ts'
import { Problem } from '../../parts/messages/problem.tsx'
import { go } from '../../parts/navigation/route.ts'
import { hrefOf } from '../../parts/navigation/route-text.ts'
import { leaving, useShownOnce } from '../../parts/navigation/unsaved.ts'
import { Icon } from '../../ui/icon.tsx'
import { Key } from '../../ui/keys/keys.tsx'
import { Fact, Facts, Panel, Part } from '../../ui/panel.tsx'
import { CopyButton } from '../../ui/text/copy-button.tsx'
import { JsonView } from '../../ui/text/json-view.tsx'
import { Countdown } from '../../ui/time/countdown.tsx'
import { Time } from '../../ui/time/time.tsx'
import { Connect } from './connect.tsx'
import { KeyHint } from './key-hint.tsx'
import { KeyList } from './key-list.tsx'
import { KeyOnce } from './key-once.tsx'
import { RotateKey } from './rotate-key.tsx'
import { type Rotation, rotationOf } from './rotation.ts'
import { strings } from './strings.ts'
import { loadKeyUses, useKeysOf, useKeyUses } from './uses-store.ts'

const t = strings.drawer

type Props = {
  readonly application: Application
  readonly onClose: () => void
  readonly onEdit: () => void
  readonly onDelete: () => void
}

/** One application: what it may do, its keys, how a program connects. */
export function ApplicationDrawer({ application, onClose, onEdit, onDelete }: Props) {
  const { id, name, type } = application
  const { as } = useLooking()
  const keys = useKeysOf(id)
  const rotation = rotationOf(keys)
  const [rotating, setRotating] = useState(false)
  const rotate = () => leaving(() => setRotating(true))
  return (
    <Panel
      label={t.label}
      title={
        <>
          <Icon name="app" />
          <span className="clip">{name}</span>
          <TypeChip type={type} />
        </>
      }
      onClose={onClose}
    >
      <div className="actions">
        <Button
          variant="default"
          leftSection={<Icon name="eye" size={14} />}
          disabled={as?.id === id}
          onClick={() => lookAs({ id, name, type }, () => go(hrefOf('tokens')))}
        >
          {t.lookAs}
        </Button>
        {!as && (
          <>
            <Button variant="default" leftSection={<Icon name="pencil" size={14} />} onClick={onEdit}>
              {t.edit} <Key of="e" />
            </Button>
            <Button
              variant="default"
              leftSection={<Icon name="refresh" size={14} />}
              onClick={rotate}
              disabled={keys.length === 0}
            >
              {rotation ? t.resume : t.rotate}
            </Button>
            <Button variant="default" leftSection={<Icon name="trash" size={14} />} onClick={onDelete}>
              {t.remove}
            </Button>
          </>
        )}
      </div>
      {type !== 'management' && (
        <Part title={t.rules}>
          {application.rules.length === 0 && <span className="faint">{t.noRules}</span>}
          <div className="rules">
            {application.rules.map((rule) => (
              <RuleCard key={rule.priority} rule={rule} />
            ))}
          </div>
          {application.rules.length > 1 && <p className="part-help">{t.rulesHelp}</p>}
        </Part>
      )}
      <Part title={t.permissions}>
        {application.permissions.length === 0 ? (
          <span className="faint">{t.noPermissions}</span>
        ) : (
          <PermissionChips permissions={application.permissions} />
        )}
        {type !== 'management' && application.permissions.length > 0 && (
          <p className="part-help">{t.permissionsHelp}</p>
        )}
      </Part>
      <Keys key={id} application={application} rotation={as ? null : rotation} onRotate={rotate} />
      <Part title={t.facts}>
        <Facts>
          <Fact name={t.id}>
            <span className="mono">{id}</span> <CopyButton value={id} what="id" />
          </Fact>
          {application.created_at !== undefined && (
            <Fact name={t.created}>
              <Time at={application.created_at} />
            </Fact>
          )}
          {application.modified_at !== undefined && (
            <Fact name={t.modified}>
              <Time at={application.modified_at} />
            </Fact>
          )}
          {!as && (
            <Fact name={t.lastUsed}>
              <LastUsed id={id} />
            </Fact>
          )}
          <Fact name={t.expires}>
            {application.expires_at === undefined ? t.never : <Countdown at={application.expires_at} />}
          </Fact>
        </Facts>
      </Part>
      {!as && (
        <Part title={t.history}>
          <History id={id} />
        </Part>
      )}
      <Part title={t.json}>
        <JsonView value={application} what={t.json} />
      </Part>
      {rotating && <RotateKey application={application} onClose={() => setRotating(false)} />}
    </Panel>
  )
}

/** When an application was last used, by a key it has or had. */
function LastUsed({ id }: { id: string }) {
  const { lastUses, loaded } = useKeyUses()
  const at = lastUses.get(id)
  if (!loaded) return <span className="bone" />
  return at ? <Time at={at} /> : t.never
}

type KeysProps = {
  readonly application: Application
  readonly rotation: Rotation | null
  readonly onRotate: () => void
}

function Keys({ application, rotation, onRotate }: KeysProps) {
  const { as } = useLooking()
  const [made, setMade] = useState<{ readonly id: string; readonly key: string } | null>(null)
  const appKey = made?.key ?? null
  const once = useShownOnce(appKey)
  const { act, problem } = useAct()
  const make = () =>
    act(async () => {
      const { id, key = '' } = await vault.keys.create({ id: application.id })
      setMade({ id, key })
      await loadKeyUses()
    })
  return (
    <>
      <Part
        title={t.keys}
        aside={
          !as && (
            <Button
              size="compact-xs"
              variant="default"
              onClick={() => leaving(make)}
              leftSection={<Icon name="plus" size={12} />}
            >
              {t.newKey}
            </Button>
          )
        }
      >
        {appKey !== null && <KeyOnce appKey={appKey} isKept={once.isKept} onKept={once.keep} />}
        <Problem of={problem} />
        {rotation && <Running rotation={rotation} onResume={onRotate} />}
        <KeyList
          application={application}
          // A key that was deleted again is nothing to keep.
          onDeleted={(id) => setMade((shown) => (shown?.id === id ? null : shown))}
        />
      </Part>
      <Part title={t.connect}>
        <Connect
          type={application.type}
          appKey={appKey ?? t.keyUnknown}
          secret={appKey !== null}
          {...(appKey !== null && { onCopied: once.keep })}
        />
      </Part>
    </>
  )
}

const r = strings.rotate

/** A rotation that was begun and not finished. */
function Running({ rotation: { fresh, old }, onResume }: { rotation: Rotation; onResume: () => void }) {
  return (
    <div className="rotation">
      <Icon name="refresh" size={14} />
      <span>
        <strong>{r.running}</strong> {r.runningNew} <KeyHint of={fresh} /> {r.runningMade}{' '}
        <Time at={fresh.created_at} />, {r.runningOld} <KeyHint of={old} /> {r.runningWorks}
      </span>
      <Button size="compact-xs" variant="default" onClick={onResume}>
        {r.resume}
      </Button>
    </div>
  )
}
