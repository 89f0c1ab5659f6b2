import { Button, Select } from '@mantine/core'
import { use, useEffect, useState } from 'react'
import type { Permission } from '../../../shared/permissions.ts'
import type { ReactorObject } from '../../../shared/schemas/reactor.ts'
import { loadApplications, useApplications } from '../../parts/access/application-names.ts'
import { loadReactors } from '../../parts/access/resource-lists.ts'
import { vault } from '../../parts/connection/vault.ts'
import { FormGone, GoneNotice } from '../../parts/forms/gone.tsx'
import { NameInput } from '../../parts/forms/name-input.tsx'
import { strings as forms } from '../../parts/forms/strings.ts'
import { useAction } from '../../parts/forms/use-action.ts'
import { useResourceForm } from '../../parts/forms/use-resource-form.ts'
import { describeError } from '../../parts/messages/describe-error.ts'
import { Problem } from '../../parts/messages/problem.tsx'
import { showToast } from '../../parts/messages/toast.tsx'
import { navigateAway, useRoute } from '../../parts/navigation/route.ts'
import { toHref } from '../../parts/navigation/route-text.ts'
import { checkCode } from '../../parts/reactors/check-code.ts'
import { findMemberError, RuntimeInput } from '../../parts/reactors/runtime-input.tsx'
import { PanelTitle } from '../../parts/resource-screen/drawer-sections.tsx'
import { Chip } from '../../ui/chip.tsx'
import { FormFailure } from '../../ui/failure.tsx'
import { Choice } from '../../ui/fields/choice.tsx'
import { PairsInput } from '../../ui/fields/pairs-input.tsx'
import formStyles from '../../ui/form.module.css'
import { ActionButton } from '../../ui/icon-buttons.tsx'
import { Key } from '../../ui/keys/keys.tsx'
import { saveKey } from '../../ui/keys/save-key.ts'
import { useKeys } from '../../ui/keys/use-keys.ts'
import { Panel } from '../../ui/panel.tsx'
import { CodeEditor } from '../../ui/text/editor/code-editor.tsx'
import { type CodeProblem, toCodeProblem } from '../../ui/text/editor/code-problem.ts'
import { markText } from '../../ui/text/marked-text.tsx'
import { About } from './about.tsx'
import type { StartingPoint } from './gallery.ts'
import {
  changeRuntime,
  createReactorDraft,
  isForNode22,
  type ReactorDraft,
  toReactorDraft,
  toReactorInput,
  validateReactorDraft,
} from './reactor-draft.ts'
import styles from './reactors.module.css'
import { Runs } from './runs.tsx'
import { strings } from './strings.ts'
import { TryReactor } from './try-reactor.tsx'
import { setSample, type TestRun, useTestRun } from './use-test-run.ts'

const t = strings.form
const NONE = ''

type Props = {
  /** The stored reactor; null for a new one. */
  readonly reactor: ReactorObject | null
  /** The gallery entry that a new reactor starts from. */
  readonly start: StartingPoint | undefined
  readonly onClose: () => void
  readonly onDelete: () => void
}

/** One reactor: the code editor, with test runs and results next to it. */
export function Workbench({ reactor, start, onClose, onDelete }: Props) {
  const { run } = useRoute().query
  const [view, setView] = useState<keyof typeof strings.drawer.views>(run === undefined ? 'try' : 'runs')
  const [baseReactor, setBaseReactor] = useState(reactor)
  const form = useResourceForm({
    stored: baseReactor,
    client: vault.reactors,
    toDraft: (stored) => (stored ? toReactorDraft(stored) : createReactorDraft(start)),
    toInput: toReactorInput,
    check: validateReactorDraft,
    strings: t,
    load: loadReactors,
    async onSaved(id) {
      if (reactor && id === reactor.id) return
      setSample(id, testRun.args)
      await navigateAway(toHref('reactors', id))
    },
  })
  const { values: draft, isDirty, reset } = form
  const testRun = useTestRun(reactor?.id ?? null, draft, start?.args)
  useKeys({ 'mod+enter': testRun.run })
  useEffect(() => {
    if (run !== undefined) setView('runs')
  }, [run])
  // Shows changes that another window or a program made, unless the form has unsaved input.
  useEffect(() => {
    if (!reactor || reactor === baseReactor || isDirty) return
    setBaseReactor(reactor)
    reset(toReactorDraft(reactor))
  }, [reactor, baseReactor, isDirty, reset])
  return (
    <Panel
      label={reactor ? strings.drawer.label : strings.create}
      title={
        <PanelTitle icon="bolt" name={reactor?.name ?? strings.create}>
          {reactor && isDirty && <Chip tone="amber">{strings.drawer.unsaved}</Chip>}
        </PanelTitle>
      }
      wide
      onClose={onClose}
      actions={
        reactor && (
          <ActionButton icon="trash" label={strings.drawer.remove} size="compact-xs" onClick={onDelete} />
        )
      }
      footer={
        <>
          <GoneNotice />
          <Button
            type="submit"
            form="reactor-form"
            {...saveKey}
            loading={form.state === 'running'}
            disabled={reactor !== null && !isDirty}
          >
            <SaveLabel isNew={reactor === null} /> <Key of="mod+s" />
          </Button>
        </>
      }
    >
      <div className={styles.workbench}>
        <form id="reactor-form" className={formStyles.root} noValidate onSubmit={form.submit}>
          <div className={styles.workbenchLine}>
            <NameInput label={t.name} required {...form.text('name')} />
            <ApplicationInput
              draft={draft}
              needs={start?.needs ?? []}
              error={form.errors['application.id']}
              onChange={(application) => form.change({ application })}
            />
          </div>
          <CodeEditor
            label={t.code}
            value={draft.code}
            problem={findCodeProblem(draft, form.errors.code, testRun)}
            compile={checkCode}
            onChange={(code) => form.change({ code })}
            onRun={testRun.run}
          />
          <p className="help">{isForNode22(draft) ? t.node22CodeHelp : t.codeHelp}</p>
          <RuntimeInput
            value={draft.runtime}
            canBeAsync
            getError={(member) => findMemberError(form.errors, `runtime.${member}`)}
            onChange={(runtime) => form.change(changeRuntime(draft, runtime))}
          />
          <PairsInput
            label={t.configuration}
            pairs={draft.configuration}
            labels={t.entry}
            help={t.configurationHelp}
            reveal={t.reveal}
            error={form.errors.configuration}
            onChange={(configuration) => form.change({ configuration })}
          />
          {form.problem !== null && form.errors.code === undefined && (
            <FormFailure>{describeError(form.problem)}</FormFailure>
          )}
        </form>
        <div className={styles.workbenchSide}>
          {reactor && (
            <Choice label={strings.drawer.label} of={strings.drawer.views} value={view} onChange={setView} />
          )}
          {reactor && view !== 'try' ? (
            <SideView view={view} reactor={reactor} run={run} />
          ) : (
            <TryReactor testRun={testRun} draft={draft} />
          )}
        </div>
      </div>
    </Panel>
  )
}

function SaveLabel({ isNew }: { isNew: boolean }) {
  if (use(FormGone)) return forms.createAgain
  return isNew ? t.make : t.save
}

type SideViewProps = {
  readonly view: 'runs' | 'about'
  readonly reactor: ReactorObject
  readonly run: string | undefined
}

function SideView({ view, reactor, run }: SideViewProps) {
  return view === 'about' ? <About reactor={reactor} /> : <Runs key={run} id={reactor.id} linked={run} />
}

/** The error to mark in the editor: the vault's rejection, or else the place where the last run failed. */
function findCodeProblem(
  draft: ReactorDraft,
  rejection: string | undefined,
  { finished }: TestRun,
): CodeProblem | null {
  if (rejection !== undefined) return toCodeProblem(t.code, rejection)
  const problem = finished?.code === draft.code ? finished.result.problem : null
  if (!problem?.place) return null
  const { line, column } = problem.place
  const at = strings.testRun.at(line, column)
  // The detail of code that does not compile names the position itself.
  const isNamed = problem.detail.toLowerCase().includes(at.toLowerCase())
  return { message: isNamed ? problem.detail : `${at}: ${problem.detail}`, place: problem.place }
}

type ApplicationProps = {
  readonly draft: ReactorDraft
  /** Permissions that the sample code needs. */
  readonly needs: readonly Permission[]
  readonly error: string | undefined
  readonly onChange: (application: string | null) => void
}

function ApplicationInput({ draft, needs, error, onChange }: ApplicationProps) {
  const { rows: applications } = useApplications()
  const { runAction, problem, state } = useAction()
  const createApplication = () =>
    runAction(async () => {
      const name = draft.name || strings.create
      const { id } = await vault.applications.create({ name, type: 'private', permissions: [...needs] })
      await loadApplications()
      onChange(id)
      showToast(t.createdApplication(name, needs))
    })
  // In node22, permissions replace the application.
  if (isForNode22(draft)) return null
  return (
    <div>
      <Select
        label={t.application}
        searchable
        data={[
          { value: NONE, label: t.none },
          ...applications
            .filter(({ type }) => type !== 'management')
            .map(({ id, name }) => ({ value: id, label: markText(name) })),
        ]}
        value={draft.application ?? NONE}
        error={error}
        onChange={(value) => onChange(value || null)}
      />
      {needs.length > 0 && draft.application === null ? (
        <p className="help">
          {strings.gallery.needs(needs)}.{' '}
          <ActionButton
            label={t.makeApplication}
            size="compact-xs"
            loading={state === 'running'}
            onClick={createApplication}
          />
        </p>
      ) : (
        <p className="help">{t.applicationHelp}</p>
      )}
      <Problem of={problem} />
    </div>
  )
}
