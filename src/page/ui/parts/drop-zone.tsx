import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { Icon } from "./icons.tsx";

/** The file types that a file dialog offers. */
export const PICTURES = "image/png,image/jpeg";

/** Files that may be pictures; the server checks their contents. */
export const pictures = (files: readonly File[]): readonly File[] =>
  files.filter(({ type, size }) => size > 0 && (type === "" || type.startsWith("image/")));

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
  useEffect(() => {
    const hasFiles = ({ dataTransfer }: DragEvent) => dataTransfer?.types.includes("Files") === true;
    const enter = (event: DragEvent) => {
      if (hasFiles(event)) over.value += 1;
    };
    const leave = (event: DragEvent) => {
      if (hasFiles(event)) over.value = Math.max(0, over.value - 1);
    };
    const stay = (event: DragEvent) => {
      if (hasFiles(event)) event.preventDefault();
    };
    const drop = (event: DragEvent) => {
      over.value = 0;
      const files = [...(event.dataTransfer?.files ?? [])];
      if (files.length === 0) return;
      event.preventDefault();
      void take.current(files);
    };
    const paste = ({ clipboardData }: ClipboardEvent) => {
      const files = [...(clipboardData?.files ?? [])];
      if (files.length > 0) void take.current(files);
    };
    addEventListener("dragenter", enter);
    addEventListener("dragleave", leave);
    addEventListener("dragover", stay);
    addEventListener("drop", drop);
    addEventListener("paste", paste);
    return () => {
      removeEventListener("dragenter", enter);
      removeEventListener("dragleave", leave);
      removeEventListener("dragover", stay);
      removeEventListener("drop", drop);
      removeEventListener("paste", paste);
    };
  }, []);
  return (
    <>
      {children}
      {over.value > 0 && (
        <div class="drop-cover" aria-hidden="true">
          <div>
            <Icon name="upload" />
            {label}
          </div>
        </div>
      )}
    </>
  );
}
