import { Checkbox, MultiSelect, NumberInput, Select } from '@mantine/core'
import { listMissingPackages } from '../../../shared/missing-packages.ts'
import { mayHold, permissionNames } from '../../../shared/permissions.ts'
import { runtimeImages } from '../../../shared/runtime-images.ts'
import {
  dependencies as dependenciesSchema,
  type ReactorRuntime,
  runtimeResources,
} from '../../../shared/schemas/runtime.ts'
import { PairsInput, toMap } from '../../ui/fields/pairs-input.tsx'
import formStyles from '../../ui/form.module.css'
import { ActionButton } from '../../ui/icon-buttons.tsx'
import { useLoaded } from '../connection/use-loaded.tsx'
import { host } from '../connection/vault.ts'
import { MissingPackages } from './missing-packages.tsx'
import type { RuntimeDraft } from './runtime-draft.ts'
import { strings } from './strings.ts'

const t = strings.runtime
const [nodeBt] = runtimeImages
const grantable = permissionNames.filter((name) => mayHold('private', name))

type Props = {
  readonly value: RuntimeDraft
  readonly onChange: (value: RuntimeDraft) => void
  readonly getError: (member: string) => string | undefined
  /** Whether the code may be asynchronous: a reactor's, but not a transform's. */
  readonly canBeAsync?: boolean
}

/** Returns the error of a member, or the first one below it, with the name of what is below. */
export function findMemberError(errors: Readonly<Record<string, string>>, path: string): string | undefined {
  const below = Object.keys(errors).find((each) => each.startsWith(`${path}.`))
  return errors[path] ?? (below && `${below.slice(path.length + 1)}: ${errors[below]}`)
}

/** Edits where code runs (rule F-03). Only node22 has more members than its name. */
export function RuntimeInput(props: Props) {
  const { value, onChange, getError } = props
  const { image } = value.options
  const isNode22 = image === 'node22'
  return (
    <>
      <Select
        label={t.image}
        description={isNode22 ? t.node22Help : t.nodeBtHelp}
        data={runtimeImages.map((name) => ({ value: name, label: t.images[name] }))}
        value={image || nodeBt}
        error={getError('image')}
        onChange={(name) => {
          if (name === 'node22') onChange({ ...value, options: { ...value.options, image: name } })
          else onChange({ options: { image: nodeBt }, dependencies: [], resolutions: [] })
        }}
      />
      {isNode22 && <Options {...props} />}
      {isNode22 && <Packages {...props} />}
    </>
  )
}

type OptionChange = { readonly [Member in keyof ReactorRuntime]: ReactorRuntime[Member] | undefined }

function Options({ value, onChange, getError, canBeAsync = false }: Props) {
  const { options } = value
  const { timeout, resources, permissions = [], warm_concurrency = 0, async: isAsync = false } = options
  const changeOptions = (part: OptionChange) => {
    const entries = Object.entries({ ...options, ...part }).filter(([, member]) => member !== undefined)
    onChange({ ...value, options: Object.fromEntries(entries) })
  }
  return (
    <>
      <div className={formStyles.row}>
        <NumberInput
          label={t.timeout}
          placeholder="10"
          hideControls
          value={timeout || ''}
          error={getError('timeout')}
          onChange={(seconds) => changeOptions({ timeout: seconds === '' ? undefined : Number(seconds) })}
        />
        <Select
          label={t.resources}
          data={[...runtimeResources]}
          value={resources || 'standard'}
          onChange={(name) => changeOptions({ resources: runtimeResources.find((each) => each === name) })}
        />
      </div>
      {canBeAsync && (
        <Checkbox
          label={t.async}
          description={t.asyncHelp}
          checked={isAsync}
          onChange={(event) => changeOptions({ async: event.currentTarget.checked })}
        />
      )}
      <Checkbox
        label={t.warm}
        description={t.warmHelp}
        checked={warm_concurrency > 0}
        onChange={(event) => changeOptions({ warm_concurrency: event.currentTarget.checked ? 1 : 0 })}
      />
      <MultiSelect
        label={t.permissions}
        description={t.permissionsHelp}
        searchable
        data={grantable}
        value={[...permissions]}
        error={getError('permissions')}
        onChange={(names) => changeOptions({ permissions: grantable.filter((each) => names.includes(each)) })}
      />
    </>
  )
}

/** Edits the packages of code, and says which of them are not installed. */
function Packages({ value, onChange, getError }: Props) {
  const { dependencies, resolutions } = value
  const { value: loaded, load } = useLoaded(() => host.reactorPackages())
  const { data: named = {} } = dependenciesSchema.safeParse(toMap(dependencies))
  const installed = new Map(loaded?.packages.map(({ name, version }) => [name, version]))
  const missing = loaded ? listMissingPackages(named, installed) : []
  return (
    <>
      <PairsInput
        label={t.dependencies}
        pairs={dependencies}
        labels={t.dependency}
        help={t.dependenciesHelp}
        error={getError('dependencies')}
        onChange={(pairs) => onChange({ ...value, dependencies: pairs })}
      />
      {missing.length > 0 && (
        <div>
          <MissingPackages packages={missing} />
          <p className="help">
            <ActionButton label={t.checkAgain} size="compact-xs" onClick={load} />
          </p>
        </div>
      )}
      {missing.length === 0 && Object.keys(named).length > 0 && loaded && (
        <p className="help">{t.allInstalled}</p>
      )}
      <PairsInput
        label={t.resolutions}
        pairs={resolutions}
        labels={t.resolution}
        help={t.resolutionsHelp}
        error={getError('resolutions')}
        onChange={(pairs) => onChange({ ...value, resolutions: pairs })}
      />
    </>
  )
}
