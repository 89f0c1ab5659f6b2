import { Button } from '@mantine/core'
import { type KeyboardEvent, type ReactNode, type RefObject, type SyntheticEvent, use, useId } from 'react'
import formStyles from '../../ui/form.module.css'
import { saveKey } from '../../ui/keys/save-key.ts'
import { Panel } from '../../ui/panel.tsx'
import { FormProblem } from '../messages/problem.tsx'
import { FormGone, GoneNotice } from './gone.tsx'
import { strings } from './strings.ts'
import type { FormState } from './use-form.ts'

type Props = {
  readonly form: Pick<FormState<object>, 'problem' | 'state' | 'isDirty' | 'submit'>
  readonly title: string
  /** The label of the button that submits the form. */
  readonly action: string
  /** Whether the form changes something stored, so that it can be submitted only once it differs. */
  readonly isEdit?: boolean
  /** The fields that show their own messages. */
  readonly placedFields?: readonly string[]
  /** The input as text, if what was deleted elsewhere cannot be created again from the form. */
  readonly input?: string
  readonly size?: 'full'
  readonly buttons?: ReactNode
  readonly ref?: RefObject<HTMLFormElement | null>
  readonly onSubmit?: (event: SyntheticEvent<HTMLFormElement>) => unknown
  readonly onKeyDown?: (event: KeyboardEvent) => void
  readonly onClose: () => void
  readonly children: ReactNode
}

/** A panel with a form: its fields, what is wrong with them, and the button that submits it. */
export function FormPanel({ form, title, action, isEdit = false, buttons, onClose, ...rest }: Props) {
  const { placedFields = [], ref, onSubmit = form.submit, onKeyDown, input, size, children } = rest
  const id = useId()
  const isGone = use(FormGone)
  return (
    <Panel
      label={title}
      title={title}
      wide
      {...(size && { size })}
      onClose={onClose}
      footer={
        <>
          <GoneNotice input={input} />
          <Button
            type="submit"
            {...saveKey}
            form={id}
            loading={form.state === 'running'}
            disabled={isEdit && (!form.isDirty || (isGone && input !== undefined))}
          >
            {isGone && input === undefined ? strings.createAgain : action}
          </Button>
          {buttons}
        </>
      }
    >
      <form
        ref={ref}
        id={id}
        className={formStyles.root}
        noValidate
        onSubmit={onSubmit}
        onKeyDown={onKeyDown}
      >
        {children}
        <FormProblem of={form.problem} placedFields={placedFields} />
      </form>
    </Panel>
  )
}
