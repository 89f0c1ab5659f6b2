import { Button, SegmentedControl } from '@mantine/core'
import { useEffect } from 'react'
import { Icon } from '../../ui/icon.tsx'
import { rememberQuery } from './last-queries.ts'
import { navigate } from './route.ts'
import { type Screen, toHref } from './route-text.ts'

type Props<View extends string> = {
  readonly screen: Screen
  readonly title: string
  /** The first of them is shown without a member in the address. */
  readonly views: readonly View[]
  readonly labels: Readonly<Record<View, string>>
  readonly view: View
  /** Others see neither the views nor the button. */
  readonly isOwner: boolean
  /** Others see the views too, but not the button. */
  readonly sharesViews?: boolean
  readonly create: string
  readonly onCreate: () => void
}

/** The head of a screen with several views, and the button that creates what it lists. */
export function ScreenHeader<View extends string>(props: Props<View>) {
  const { screen, title, views, labels, view, isOwner, sharesViews, create, onCreate } = props
  /** What the address says of a view. */
  const getViewMember = (value: View) => (value === views[0] ? undefined : value)
  const member = getViewMember(view)
  useEffect(() => rememberQuery(screen, { view: member }), [screen, member])
  return (
    <div className="screen-head screen-head-line">
      <h1>{title}</h1>
      {(isOwner || sharesViews) && (
        <SegmentedControl
          className="tabs"
          aria-label={title}
          data={views.map((value) => ({ value, label: labels[value] }))}
          value={view}
          onChange={(value) => navigate(toHref(screen, null, { view: getViewMember(value) }))}
        />
      )}
      <div className="screen-head-space" />
      {isOwner && (
        <Button leftSection={<Icon name="plus" size={14} />} onClick={onCreate}>
          {create}
        </Button>
      )}
    </div>
  )
}
