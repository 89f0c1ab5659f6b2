import { Button, SegmentedControl } from '@mantine/core'
import { useEffect } from 'react'
import { Icon } from '../../ui/icon.tsx'
import { rememberQuery } from './last-queries.ts'
import { navigate } from './route.ts'
import { type Screen, toHref } from './route-text.ts'

type Props<View extends string> = {
  readonly screen: Screen
  readonly title: string
  /** The first view is the default, which the URL leaves out. */
  readonly views: readonly View[]
  readonly labels: Readonly<Record<View, string>>
  readonly view: View
  /**
   * Whether the viewer is the owner. Other viewers do not see the button, and see the views only with
   * `sharesViews`.
   */
  readonly isOwner: boolean
  /** Whether viewers other than the owner see the views too. */
  readonly sharesViews?: boolean
  readonly create: string
  readonly onCreate: () => void
}

/** The header of a screen with several views, with its create button. */
export function ScreenHeader<View extends string>(props: Props<View>) {
  const { screen, title, views, labels, view, isOwner, sharesViews, create, onCreate } = props
  /** The value of the query parameter for a view; undefined for the default. */
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
