import { dismiss, notices } from "../state/notices.ts";
import { Button } from "./controls.tsx";
import { Icon } from "./icons.tsx";

/** Notices of success and failure; in the topmost dialog if one is open, because nothing behind it can be read or used. */
export const Notices = () => (
  <div class="notices" role="status" aria-live="polite">
    {notices.value.map(({ id, kind, message }) => (
      <div key={id} class={`notice ${kind}`}>
        <Icon name={kind === "done" ? "done" : "warning"} />
        <span>{message}</span>
        <Button kind="quiet" bare icon="close" label="Close" onClick={() => dismiss(id)} />
      </div>
    ))}
  </div>
);
