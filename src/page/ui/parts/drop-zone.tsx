import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { notify } from "../state/api.ts";
import { Button, type ButtonFace } from "./controls.tsx";
import { Icon } from "./icons.tsx";

export const PICTURES = "image/png,image/jpeg";

/** Filters possible pictures; the server checks contents. Reports the names of other files. */
export function pictures(files: readonly File[]): readonly File[] {
  const isPicture = ({ type, size }: File) => size > 0 && (type === "" || type.startsWith("image/"));
  const others = files.filter((file) => !isPicture(file)).map(({ name }) => name);
  if (others.length > 0) notify("failed", `Not a picture: ${others.join(", ")}. Choose PNG or JPEG files.`);
  return files.filter(isPicture);
}

interface DropZoneProps {
  readonly label: string;
  readonly onFiles: (files: readonly File[]) => unknown;
  readonly children: ComponentChildren;
}

/** While mounted, accepts files that are pasted or dropped anywhere in the window. */
export function DropZone({ label, onFiles, children }: DropZoneProps) {
  const over = useSignal(0);
  const take = useRef(onFiles);
  take.current = onFiles;
  // With the drawing, not after it: files dropped meanwhile go to the shown view.
  useLayoutEffect(() => {
    const gone = new AbortController();
    const { signal } = gone;
    const filesOf = (given: DataTransfer | null): readonly File[] => [...(given?.files ?? [])];
    const onDrag = (name: "dragenter" | "dragleave" | "dragover", change: number) =>
      addEventListener(
        name,
        (event) => {
          if (event.dataTransfer?.types.includes("Files") !== true) return;
          over.value = Math.max(0, over.value + change);
          if (name === "dragover") event.preventDefault();
        },
        { signal },
      );
    onDrag("dragenter", 1);
    onDrag("dragleave", -1);
    onDrag("dragover", 0);
    addEventListener(
      "drop",
      (event) => {
        over.value = 0;
        const files = filesOf(event.dataTransfer);
        if (files.length === 0) return;
        event.preventDefault();
        void take.current(files);
      },
      { signal },
    );
    addEventListener(
      "paste",
      ({ clipboardData }) => {
        const files = filesOf(clipboardData);
        if (files.length > 0) void take.current(files);
      },
      { signal },
    );
    return () => gone.abort();
  }, []);
  return (
    <>
      {children}
      {over.value > 0 && (
        <div class="drop-cover empty stack faint" aria-hidden="true">
          <Icon name="upload" />
          {label}
        </div>
      )}
    </>
  );
}

interface FileButtonProps extends ButtonFace {
  readonly accept: string;
  readonly multiple?: boolean;
  readonly onFiles: (files: readonly File[]) => unknown;
}

export function FileButton({ accept, multiple = false, onFiles, ...button }: FileButtonProps) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <Button icon="upload" {...button} onClick={() => input.current?.click()} />
      <input
        ref={input}
        type="file"
        hidden
        accept={accept}
        multiple={multiple}
        aria-label={button.label}
        onChange={({ currentTarget }) => {
          const files = [...(currentTarget.files ?? [])];
          currentTarget.value = "";
          if (files.length > 0) void onFiles(files);
        }}
      />
    </>
  );
}
