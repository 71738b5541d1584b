import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { dialogs, dismiss, notices } from "../state/api.ts";
import { Button, type ButtonFace, OpenButton } from "./controls.tsx";
import { Icon } from "./icons.tsx";

/** Notices of success and failure. An open dialog has its own: nothing behind it can be used. */
export const Notices = ({ dialog }: { readonly dialog?: symbol }) => (
  <div class="notices" role="status" aria-live="polite">
    {notices.value
      .filter((notice) => dialogs.value.find((each) => each === notice.dialog) === dialog)
      .map(({ id, kind, message }) => (
        <div key={id} class={`notice row ${kind === "done" ? "good" : "bad"}`}>
          <Icon name={kind === "done" ? "done" : "warning"} />
          <span class="grow">{message}</span>
          <Button kind="bare" icon="close" label="Close" onClick={() => dismiss(id)} />
        </div>
      ))}
  </div>
);

interface DialogProps {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
  readonly wide?: boolean;
}

/** A modal dialog, open while it is mounted. */
export function Dialog({ title, onClose, children, wide }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null);
  const { current: own } = useRef(Symbol(title));
  const closed = useRef(onClose);
  closed.current = onClose;
  useLayoutEffect(() => {
    const dialog = element.current;
    const opener = document.activeElement;
    const onClosed = () => closed.current();
    dialog?.showModal();
    dialogs.value = [...dialogs.peek(), own];
    dialog?.addEventListener("close", onClosed);
    return () => {
      // The event comes later, when another dialog may be open.
      dialog?.removeEventListener("close", onClosed);
      dialogs.value = dialogs.peek().filter((each) => each !== own);
      // Nothing behind an open dialog can have the focus.
      dialog?.close();
      if (opener instanceof HTMLElement) opener.focus();
    };
  }, []);
  return (
    <dialog ref={element} class={wide === true ? "wide" : undefined} aria-label={title} closedby="any">
      <div class="stack">
        <header class="row">
          <h2 class="grow">{title}</h2>
          <Button kind="bare" icon="close" label="Close" onClick={onClose} />
        </header>
        {children}
      </div>
      <Notices dialog={own} />
    </dialog>
  );
}

interface FormDialogProps {
  readonly title: string;
  readonly action: string;
  readonly onClose: () => void;
  /** Returns whether it succeeded; then the dialog closes. */
  readonly onSubmit: (fields: FormData) => Promise<boolean>;
  readonly children: ComponentChildren;
}

export function FormDialog({ title, action, onClose, onSubmit, children }: FormDialogProps) {
  const sending = useSignal(false);
  const form = useRef<HTMLFormElement>(null);
  return (
    <Dialog title={title} onClose={onClose}>
      <form
        class="stack"
        ref={form}
        onSubmit={async (event) => {
          event.preventDefault();
          if (sending.value) return;
          sending.value = true;
          const succeeded = await onSubmit(new FormData(event.currentTarget));
          sending.value = false;
          // The user may have closed it meanwhile, and opened another one.
          if (succeeded && form.current !== null) onClose();
        }}
      >
        {children}
        <footer class="row">
          <span class="grow" />
          <Button label="Cancel" onClick={onClose} />
          <Button kind="main" submit label={action} />
        </footer>
      </form>
    </Dialog>
  );
}

interface ConfirmButtonProps extends ButtonFace {
  readonly title: string;
  readonly children: string;
  readonly action: string;
  readonly onConfirm: () => unknown;
}

export const ConfirmButton = ({ title, children, action, onConfirm, ...button }: ConfirmButtonProps) => (
  <OpenButton {...button}>
    {(close) => (
      <Dialog title={title} onClose={close}>
        <p>{children}</p>
        <footer class="row">
          <span class="grow" />
          <Button label="Cancel" onClick={close} />
          <Button
            kind="danger"
            label={action}
            onClick={() => {
              close();
              void onConfirm();
            }}
          />
        </footer>
      </Dialog>
    )}
  </OpenButton>
);
