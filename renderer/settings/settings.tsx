/** Placeholder. */
export function Settings() {
  return (
    <div className="screen-head">
      <h1>Settings</h1>
    </div>
  )
}
