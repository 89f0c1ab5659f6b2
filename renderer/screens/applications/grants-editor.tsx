import { Autocomplete, Button, SegmentedControl, TextInput } from '@mantine/core'
import type { ApplicationType } from '../../../shared/permissions.ts'
import type { RuleTransform } from '../../../shared/schemas/rule.ts'
import { listHoldablePermissions } from '../../parts/access/permission-groups.ts'
import ruleCardStyles from '../../parts/access/rule-card.module.css'
import { strings as access } from '../../parts/access/strings.ts'
import { buildContainerTree } from '../../parts/tokens/counts.ts'
import { useCounts } from '../../parts/tokens/counts-store.ts'
import { focusNext } from '../../ui/fields/focus-next.ts'
import formStyles from '../../ui/form.module.css'
import { Icon } from '../../ui/icon.tsx'
import { IconButton } from '../../ui/icon-buttons.tsx'
import { createRuleDraft, type GrantsDraft, moveRule, type RuleDraft } from './grants.ts'
import { PermissionPicker } from './permission-picker.tsx'
import { strings } from './strings.ts'

const t = strings.editor
const ruleStrings = strings.rule
const choices: readonly RuleTransform[] = ['redact', 'mask', 'reveal']

type Props = {
  readonly draft: GrantsDraft
  readonly onChange: (draft: GrantsDraft) => void
  /** Errors by path, such as `rules[0].container`. */
  readonly errors: Readonly<Record<string, string>>
}

/** Edits an application's access: rules per container, and permissions that apply everywhere. */
export function GrantsEditor({ draft, onChange, errors }: Props) {
  const { type, rules } = draft
  const changeRule = (index: number, patch: Partial<RuleDraft>) =>
    onChange({ ...draft, rules: rules.map((rule, at) => (at === index ? { ...rule, ...patch } : rule)) })
  return (
    <div className={formStyles.root}>
      {type !== 'management' && (
        <section data-list aria-label={t.rules} className={ruleCardStyles.list}>
          {rules.length === 0 && <span className="faint">{t.none}</span>}
          {rules.map((rule, index) => (
            <RuleForm
              key={rule.key}
              rule={rule}
              index={index}
              last={index === rules.length - 1}
              type={type}
              errors={errors}
              onChange={(part) => changeRule(index, part)}
              onMove={(by) => onChange({ ...draft, rules: moveRule(rules, index, by) })}
              onRemove={() => onChange({ ...draft, rules: rules.toSpliced(index, 1) })}
            />
          ))}
          <Button
            data-list-button
            variant="default"
            leftSection={<Icon name="plus" size={12} />}
            onClick={() => onChange({ ...draft, rules: [...rules, createRuleDraft(type, rules)] })}
          >
            {ruleStrings.add}
          </Button>
        </section>
      )}
      <details className="more" open={type === 'management' || draft.permissions.length > 0}>
        <summary>{t.general}</summary>
        {type !== 'management' && <p className="faint">{t.generalHelp}</p>}
        <PermissionPicker
          label={t.general}
          offered={listHoldablePermissions(type)}
          value={draft.permissions}
          onChange={(permissions) => onChange({ ...draft, permissions })}
        />
      </details>
    </div>
  )
}

type RuleFormProps = {
  readonly rule: RuleDraft
  readonly index: number
  readonly last: boolean
  readonly type: ApplicationType
  readonly errors: Props['errors']
  readonly onChange: (part: Partial<RuleDraft>) => void
  readonly onMove: (by: -1 | 1) => void
  readonly onRemove: () => void
}

function RuleForm({ rule, index, last, type, errors, onChange, onMove, onRemove }: RuleFormProps) {
  const { counts } = useCounts()
  const path = `rules[${index}]`
  return (
    <fieldset className={ruleCardStyles.root}>
      <legend className="visually-hidden">{access.rule.title(index + 1)}</legend>
      <div className={ruleCardStyles.head}>
        <span className={ruleCardStyles.priority}>{index + 1}</span>
        <Autocomplete
          aria-label={ruleStrings.container}
          classNames={{ input: 'mono' }}
          data={['/', ...buildContainerTree(counts).map(({ scope }) => scope)].filter(
            (each, at, all) => all.indexOf(each) === at,
          )}
          value={rule.container}
          onChange={(container) => onChange({ container })}
          error={errors[`${path}.container`] ?? errors[path]}
          flex={1}
        />
        <SegmentedControl
          aria-label={ruleStrings.transform}
          data={choices.map((value) => ({ value, label: access.rule.transforms[value] }))}
          value={rule.transform}
          onChange={(transform) => onChange({ transform })}
        />
        <IconButton icon="up" label={ruleStrings.up} disabled={index === 0} onClick={() => onMove(-1)} />
        <IconButton icon="down" label={ruleStrings.down} disabled={last} onClick={() => onMove(1)} />
        <IconButton
          icon="close"
          data-list-button
          label={ruleStrings.remove}
          onClick={(event) => {
            focusNext(event.currentTarget)
            onRemove()
          }}
        />
      </div>
      <PermissionPicker
        label={ruleStrings.permissions}
        offered={listHoldablePermissions(type)}
        value={rule.permissions}
        onChange={(permissions) => onChange({ permissions })}
      />
      {errors[`${path}.permissions`] !== undefined && (
        <p className={formStyles.error}>{errors[`${path}.permissions`]}</p>
      )}
      <TextInput
        aria-label={ruleStrings.description}
        placeholder={`${ruleStrings.description} (${ruleStrings.descriptionPlaceholder.toLowerCase()})`}
        value={rule.description}
        onChange={(event) => onChange({ description: event.currentTarget.value })}
      />
    </fieldset>
  )
}
