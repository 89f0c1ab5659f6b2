/** Placeholder. */
export function Requests() {
  return (
    <div className="screen-head">
      <h1>Requests</h1>
    </div>
  )
}
