import { Button } from '@mantine/core'
import { type ReactNode, type RefObject, type SyntheticEvent, useId } from 'react'
import formStyles from '../../ui/form.module.css'
import { Panel } from '../../ui/panel.tsx'
import { FormProblem } from '../messages/problem.tsx'
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
  /** Further buttons. */
  readonly buttons?: ReactNode
  readonly ref?: RefObject<HTMLFormElement | null>
  readonly onSubmit?: (event: SyntheticEvent<HTMLFormElement>) => unknown
  readonly onClose: () => void
  readonly children: ReactNode
}

/** A panel with a form: its fields, what is wrong with them, and the button that submits it. */
export function FormPanel({ form, title, action, isEdit = false, buttons, onClose, ...rest }: Props) {
  const { placedFields = [], ref, onSubmit = form.submit, children } = rest
  const id = useId()
  return (
    <Panel
      label={title}
      title={title}
      wide
      onClose={onClose}
      footer={
        <>
          <Button
            type="submit"
            form={id}
            loading={form.state === 'running'}
            disabled={isEdit && !form.isDirty}
          >
            {action}
          </Button>
          {buttons}
        </>
      }
    >
      <form ref={ref} id={id} className={formStyles.root} noValidate onSubmit={onSubmit}>
        {children}
        <FormProblem of={form.problem} placedFields={placedFields} />
      </form>
    </Panel>
  )
}
