import { Select, TextInput } from '@mantine/core'
import { type TransformType, transformTypes } from '../../../shared/schemas/transform.ts'
import { checkCode } from '../../parts/reactors/check-code.ts'
import { RunningOff } from '../../parts/reactors/running-off.tsx'
import { findMemberError, RuntimeInput } from '../../parts/reactors/runtime-input.tsx'
import { focusNext } from '../../ui/fields/focus-next.ts'
import { MonoArea } from '../../ui/fields/mono-fields.tsx'
import { ActionButton, IconButton } from '../../ui/icon-buttons.tsx'
import { CodeEditor } from '../../ui/text/editor/code-editor.tsx'
import { toCodeProblem } from '../../ui/text/editor/code-problem.ts'
import styles from './proxies.module.css'
import { type TransformDraft, type TransformSide, toTransformDraft } from './proxy-draft.ts'
import { strings } from './strings.ts'

const t = strings.form

const types: Readonly<Record<TransformSide, readonly TransformType[]>> = {
  request: transformTypes.filter((type) => type !== 'mask'),
  response: transformTypes,
}

type TransformErrors = Readonly<Record<string, string>>
type Props = {
  readonly side: TransformSide
  readonly transforms: readonly TransformDraft[]
  readonly errors: TransformErrors
  readonly onChange: (transforms: readonly TransformDraft[]) => void
}

/** Edits the transforms of the request or of the response, in execution order. */
export function TransformsEditor({ side, transforms, errors, onChange }: Props) {
  const next = transforms.reduce((max, { at }) => Math.max(max, at), -1) + 1
  const path = `${side}_transforms`
  const moveUp = (transform: TransformDraft, index: number) =>
    onChange(transforms.toSpliced(index, 1).toSpliced(index - 1, 0, transform))
  return (
    <fieldset data-list className={styles.transforms}>
      <legend>{t[side]}</legend>
      {transforms.map((transform, index) => (
        <div key={transform.at} className={styles.transform}>
          <div className={styles.transformHead}>
            <Select
              label={`${index + 1}. ${t.type}`}
              data={types[side].map((value) => ({ value, label: t.types[value] }))}
              value={transform.type}
              error={errors[`${path}[${index}].type`]}
              onChange={(value) => {
                const type = types[side].find((each) => each === value) ?? 'append_json'
                onChange(transforms.map((each) => (each.at === transform.at ? { ...each, type } : each)))
              }}
            />
            <IconButton
              icon="up"
              label={t.up(index + 1)}
              disabled={index === 0}
              onClick={() => moveUp(transform, index)}
            />
            <IconButton
              icon="close"
              data-list-button
              label={t.removeTransform(index + 1)}
              onClick={(event) => {
                focusNext(event.currentTarget)
                onChange(transforms.filter(({ at }) => at !== transform.at))
              }}
            />
          </div>
          <Members
            transform={transform}
            getError={(member) => findMemberError(errors, `${path}[${index}].${member}`)}
            onChange={(part) =>
              onChange(transforms.map((each) => (each.at === transform.at ? { ...each, ...part } : each)))
            }
          />
        </div>
      ))}
      {errors[path] !== undefined && <p className="error">{errors[path]}</p>}
      {transforms.length > 0 && <p className="help">{side === 'request' ? t.order : t.responseOrder}</p>}
      <div>
        <ActionButton
          icon="plus"
          label={t.add}
          data-list-button
          size="compact-xs"
          aria-label={`${t.add}: ${t[side]}`}
          onClick={() =>
            onChange([
              ...transforms,
              toTransformDraft({ type: side === 'request' ? 'append_json' : 'tokenize' }, next),
            ])
          }
        />
      </div>
    </fieldset>
  )
}

type TransformMembersProps = {
  readonly transform: TransformDraft
  readonly getError: (member: string) => string | undefined
  readonly onChange: (part: Partial<TransformDraft>) => void
}

function Members({ transform, getError, onChange }: TransformMembersProps) {
  const { type } = transform
  const getTextProps = (
    name: 'location' | 'value' | 'identifier' | 'expression' | 'replacement',
    path: string,
  ) => ({
    value: transform[name],
    error: getError(path),
    classNames: { input: 'mono' },
    spellCheck: false,
    onChange: (event: { readonly currentTarget: { readonly value: string } }) =>
      onChange({ [name]: event.currentTarget.value }),
  })
  if (type === 'code') {
    return (
      <>
        <CodeEditor
          label={t.code}
          value={transform.code}
          problem={toCodeProblem(t.code, getError('code'))}
          compile={checkCode}
          onChange={(code) => onChange({ code })}
        />
        <p className="help">{transform.runtime.options.image === 'node22' ? t.node22CodeHelp : t.codeHelp}</p>
        <RuntimeInput
          value={transform.runtime}
          getError={(member) => getError(`options.runtime.${member}`)}
          onChange={(runtime) => onChange({ runtime })}
        />
        <RunningOff />
      </>
    )
  }
  if (type === 'mask') {
    return (
      <>
        <Select
          label={t.matcher}
          data={Object.entries(t.matchers).map(([value, label]) => ({ value, label }))}
          value={transform.matcher}
          error={getError('matcher')}
          onChange={(value) => onChange({ matcher: value === 'regex' ? 'regex' : 'chase_stratus_pan' })}
        />
        {transform.matcher === 'regex' && (
          <TextInput
            label={t.expression}
            description={t.expressionHelp}
            {...getTextProps('expression', 'expression')}
          />
        )}
        <TextInput label={t.replacement} maw={120} {...getTextProps('replacement', 'replacement')} />
      </>
    )
  }
  if (type === 'tokenize') {
    return (
      <>
        <MonoArea
          label={t.token}
          description={t.tokenHelp}
          value={transform.token}
          error={getError('options.token')}
          onChange={(event) => onChange({ token: event.currentTarget.value })}
        />
        <TextInput
          label={t.identifier}
          description={t.identifierHelp}
          {...getTextProps('identifier', 'options.identifier')}
        />
      </>
    )
  }
  return (
    <>
      {type !== 'append_text' && (
        <TextInput
          label={t.location}
          description={t.locations[type]}
          {...getTextProps('location', 'options.location')}
        />
      )}
      <TextInput label={t.value} description={t.valueHelp} {...getTextProps('value', 'options.value')} />
    </>
  )
}
