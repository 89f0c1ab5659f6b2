import { Autocomplete, Button, TextInput } from '@mantine/core'
import { type DragEvent, type KeyboardEvent, useEffect, useRef, useState } from 'react'
import { type ApplicationType, mayHold, permissionNames } from '../../../../shared/permissions.ts'
import { listHoldablePermissions } from '../../../parts/access/permission-groups.ts'
import ruleCardStyles from '../../../parts/access/rule-card.module.css'
import { transformTones } from '../../../parts/access/rule-card.tsx'
import { strings as access } from '../../../parts/access/strings.ts'
import { useRoute } from '../../../parts/navigation/route.ts'
import { buildContainerTree } from '../../../parts/tokens/counts.ts'
import { useCounts } from '../../../parts/tokens/counts-store.ts'
import { Chip } from '../../../ui/chip.tsx'
import { Choice } from '../../../ui/fields/choice.tsx'
import { focusNext } from '../../../ui/fields/focus-next.ts'
import formStyles from '../../../ui/form.module.css'
import { Icon } from '../../../ui/icon.tsx'
import { IconButton } from '../../../ui/icon-buttons.tsx'
import { nameAction } from './actions.ts'
import { createRuleDraft, type GrantsDraft, moveRule, type NeededGrant, type RuleDraft } from './grants.ts'
import { NeverAllowed } from './never-allowed.tsx'
import { PermissionPicker } from './permission-picker.tsx'
import styles from './rules.module.css'
import { strings as t } from './strings.ts'

type Props = {
  readonly draft: GrantsDraft
  /** `typed` names the field if text was typed into it. */
  readonly onChange: (draft: GrantsDraft, typed?: string) => void
  /** Errors by path, such as `rules[0].container`. */
  readonly errors: Readonly<Record<string, string>>
}

/** What the refused request needed from whose record the form was opened; null if a rule cannot grant it. */
function useNeededGrant(type: ApplicationType): NeededGrant | null {
  const { need, at: container } = useRoute().query
  const permission = permissionNames.find((each) => each === need && mayHold(type, each))
  return permission && container ? { permission, container } : null
}

/** Edits an application's access: one line per rule, of which one is open, and permissions that apply everywhere. */
export function RuleList({ draft, onChange, errors }: Props) {
  const { type, rules } = draft
  const [open, setOpen] = useState<{ readonly key: number; readonly isAdded: boolean } | null>(null)
  const needed = useNeededGrant(type)
  const order = useRuleOrder(rules, (moved) => onChange({ ...draft, rules: moved }))
  const changeRule = (index: number, patch: Partial<RuleDraft>, typed?: string) =>
    onChange(
      { ...draft, rules: rules.map((rule, at) => (at === index ? { ...rule, ...patch } : rule)) },
      typed,
    )
  function addRule(): void {
    const added = createRuleDraft(draft, needed)
    setOpen({ key: added.key, isAdded: true })
    onChange({ ...draft, rules: [...rules, added] })
  }
  return (
    <div className={formStyles.root}>
      <NeverAllowed type={type} />
      {type !== 'management' && (
        <section data-list aria-label={t.rules} className={styles.rules}>
          {rules.length === 0 && <span className="faint">{t.none}</span>}
          {rules.length > 1 && <p className="note">{t.order}</p>}
          {rules.map((rule, index) => (
            <RuleEntry
              key={rule.key}
              rule={rule}
              index={index}
              type={type}
              errors={errors}
              order={order}
              isOpen={rule.key === open?.key}
              isAdded={open?.isAdded === true}
              onToggle={() => setOpen(rule.key === open?.key ? null : { key: rule.key, isAdded: false })}
              onChange={(part, typed) => changeRule(index, part, typed && `${rule.key} ${typed}`)}
              onRemove={() => onChange({ ...draft, rules: rules.toSpliced(index, 1) })}
            />
          ))}
          <Button
            data-list-button
            variant="default"
            leftSection={<Icon name="plus" size={12} />}
            onClick={addRule}
          >
            {needed ? t.addFor(needed.permission, needed.container) : t.add}
          </Button>
          <span role="status" className="visually-hidden">
            {order.announced}
          </span>
        </section>
      )}
      <GeneralPermissions draft={draft} onChange={onChange} />
    </div>
  )
}

/** The permissions that apply in every container. */
function GeneralPermissions({ draft, onChange }: Pick<Props, 'draft' | 'onChange'>) {
  const { type, permissions } = draft
  return (
    <details className="more" open={type === 'management' || permissions.length > 0}>
      <summary>{t.general}</summary>
      {type !== 'management' && <p className="faint">{t.generalHelp}</p>}
      <PermissionPicker
        label={t.general}
        offered={listHoldablePermissions(type)}
        value={permissions}
        onChange={(permissions) => onChange({ ...draft, permissions })}
      />
    </details>
  )
}

/** The order of the rules, which dragging and keys change. */
function useRuleOrder(rules: readonly RuleDraft[], onMove: (rules: readonly RuleDraft[]) => void) {
  const [announced, setAnnounced] = useState('')
  const [dragged, setDragged] = useState<number | null>(null)
  const [target, setTarget] = useState<number | null>(null)
  const [focused, setFocused] = useState<{ readonly key: number } | null>(null)
  const lines = useRef(new Map<number, HTMLElement>())
  // The moved line loses the focus when its elements are moved. Focusing does not scroll if it kept the focus.
  useEffect(() => {
    const line = focused && lines.current.get(focused.key)
    line?.focus()
    line?.scrollIntoView({ block: 'nearest' })
  }, [focused])
  function moveLine(from: number, to: number): void {
    const rule = rules[from]
    const moved = moveRule(rules, from, to)
    if (!rule || moved === rules || from === to) return
    onMove(moved)
    setAnnounced(t.moved(rule.container, to + 1, rules.length))
    setFocused({ key: rule.key })
  }
  return {
    announced,
    moveLine,
    count: rules.length,
    isTarget: (index: number) => dragged !== null && index === target && index !== dragged,
    isFromAbove: (index: number) => dragged !== null && dragged < index,
    keepLine: (key: number) => (line: HTMLElement | null) => {
      if (line) lines.current.set(key, line)
      else lines.current.delete(key)
    },
    startDrag: setDragged,
    dragOver(event: DragEvent, index: number) {
      if (dragged === null) return
      event.preventDefault()
      setTarget(index)
    },
    dropOn(event: DragEvent, index: number) {
      event.preventDefault()
      if (dragged !== null) moveLine(dragged, index)
    },
    endDrag() {
      setDragged(null)
      setTarget(null)
    },
  }
}

type EntryProps = {
  readonly rule: RuleDraft
  readonly index: number
  readonly type: ApplicationType
  readonly errors: Props['errors']
  readonly order: ReturnType<typeof useRuleOrder>
  readonly isOpen: boolean
  readonly isAdded: boolean
  readonly onToggle: () => void
  readonly onChange: (part: Partial<RuleDraft>, typed?: string) => void
  readonly onRemove: () => void
}

function RuleEntry(props: EntryProps) {
  const { rule, index, errors, order, isOpen, onToggle, onRemove } = props
  const { key, container, transform, permissions } = rule
  const error = Object.entries(errors).find(([path]) => path.startsWith(`rules[${index}]`))?.[1]
  function handleKeyDown(event: KeyboardEvent): void {
    const by = { ArrowUp: -1, ArrowDown: 1 }[event.key]
    if (by === undefined || !event.altKey) return
    event.preventDefault()
    order.moveLine(index, index + by)
  }
  return (
    <fieldset
      className={styles.rule}
      data-open={isOpen || undefined}
      data-drop={order.isTarget(index) ? (order.isFromAbove(index) ? 'below' : 'above') : undefined}
      // Text can be selected only in what cannot be dragged.
      draggable={!isOpen}
      onDragStart={() => order.startDrag(index)}
      onDragEnd={order.endDrag}
      onDragOver={(event) => order.dragOver(event, index)}
      onDrop={(event) => order.dropOn(event, index)}
    >
      <legend className="visually-hidden">{access.rule.title(index + 1)}</legend>
      <div className={styles.line}>
        <span className={styles.grip} aria-hidden="true" title={t.drag} />
        <button
          type="button"
          className={`unstyled ${styles.lineButton}`}
          ref={order.keepLine(key)}
          aria-expanded={isOpen}
          aria-keyshortcuts="Alt+ArrowUp Alt+ArrowDown"
          onClick={onToggle}
          onKeyDown={handleKeyDown}
        >
          <span className={ruleCardStyles.priority}>{index + 1}</span>
          <bdi className={`mono clip ${styles.lineContainer}`} title={container}>
            {container}
          </bdi>
          <Chip tone={transformTones[transform]}>{access.rule.transforms[transform]}</Chip>
          <span className={`faint clip ${styles.lineActions}`} title={permissions.join(', ')}>
            {permissions.length === 0 ? t.noPermissions : permissions.map(nameAction).join(' ')}
          </span>
        </button>
        <IconButton
          icon="close"
          data-list-button
          label={t.remove}
          onClick={(event) => {
            focusNext(event.currentTarget)
            onRemove()
          }}
        />
      </div>
      {error !== undefined && !isOpen && <p className="error">{error}</p>}
      {isOpen && <RuleFields {...props} />}
    </fieldset>
  )
}

function RuleFields({ rule, index, type, errors, order, isAdded, onChange }: EntryProps) {
  const { counts } = useCounts()
  const path = `rules[${index}]`
  return (
    <div className={styles.fields}>
      <div className={ruleCardStyles.head}>
        <Autocomplete
          aria-label={t.container}
          classNames={{ input: 'mono' }}
          data={[...new Set(['/', ...buildContainerTree(counts).map(({ scope }) => scope)])]}
          value={rule.container}
          // A new rule begins with its container. Typing replaces the root instead of adding to it.
          autoFocus={isAdded && rule.container === '/'}
          onFocus={({ currentTarget }) => rule.container === '/' && currentTarget.select()}
          onChange={(container) => onChange({ container }, 'container')}
          error={errors[`${path}.container`] ?? errors[path]}
          flex={1}
        />
        <IconButton
          icon="up"
          label={t.up}
          disabled={index === 0}
          onClick={() => order.moveLine(index, index - 1)}
        />
        <IconButton
          icon="down"
          label={t.down}
          disabled={index === order.count - 1}
          onClick={() => order.moveLine(index, index + 1)}
        />
      </div>
      <Choice
        label={t.transform}
        of={access.rule.transforms}
        value={rule.transform}
        onChange={(transform) => onChange({ transform })}
      />
      <PermissionPicker
        label={t.permissions}
        isShort
        offered={listHoldablePermissions(type)}
        value={rule.permissions}
        onChange={(permissions) => onChange({ permissions })}
      />
      {errors[`${path}.permissions`] !== undefined && (
        <p className="error">{errors[`${path}.permissions`]}</p>
      )}
      <TextInput
        aria-label={t.description}
        placeholder={t.description}
        value={rule.description}
        onChange={(event) => onChange({ description: event.currentTarget.value }, 'description')}
      />
    </div>
  )
}
