import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useRef } from "preact/hooks";
import { notify } from "../state/notices.ts";
import { Icon, type IconName } from "./icons.tsx";

interface ButtonProps {
  readonly icon?: IconName;
  readonly label: string;
  readonly onClick?: () => unknown;
  readonly kind?: "plain" | "main" | "danger" | "quiet";
  /** Shows only the icon. */
  readonly bare?: boolean;
  readonly disabled?: boolean;
  readonly submit?: boolean;
  readonly pressed?: boolean;
}

export const Button = ({
  icon,
  label,
  onClick,
  kind = "plain",
  bare,
  disabled,
  submit,
  pressed,
}: ButtonProps) => (
  <button
    type={submit === true ? "submit" : "button"}
    class={`button ${kind}${bare === true ? " bare" : ""}`}
    aria-label={bare === true ? label : undefined}
    title={bare === true ? label : undefined}
    aria-pressed={pressed}
    disabled={disabled}
    onClick={() => void onClick?.()}
  >
    {icon !== undefined && <Icon name={icon} />}
    {bare !== true && <span>{label}</span>}
  </button>
);

export function CopyButton({
  value,
  label,
  bare = true,
}: {
  readonly value: string;
  readonly label: string;
  readonly bare?: boolean;
}) {
  const copied = useSignal(false);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(value);
      copied.value = true;
      setTimeout(() => {
        copied.value = false;
      }, 1500);
    } catch {
      notify("failed", "The browser does not allow copying. Select the text instead.");
    }
  };
  return (
    <Button
      kind={bare ? "quiet" : "plain"}
      bare={bare}
      icon={copied.value ? "check" : "copy"}
      label={copied.value ? "Copied" : label}
      onClick={copy}
    />
  );
}

/** A value that is hidden until someone shows it. */
export function Secret({ value, label }: { readonly value: string; readonly label: string }) {
  const shown = useSignal(false);
  return (
    <span class="secret">
      <code class={shown.value ? undefined : "masked"}>{shown.value ? value : "••••••••••••"}</code>
      <Button
        kind="quiet"
        bare
        icon={shown.value ? "eyeOff" : "eye"}
        label={`${shown.value ? "Hide" : "Show"} ${label}`}
        onClick={() => {
          shown.value = !shown.value;
        }}
      />
      <CopyButton value={value} label={`Copy ${label}`} />
    </span>
  );
}

interface FieldProps {
  readonly label: string;
  readonly hint?: string;
  readonly name: string;
  readonly type?: "text" | "number" | "datetime-local";
  readonly defaultValue?: string | number;
  readonly min?: number;
  readonly step?: number | "any";
  readonly maxLength?: number;
  readonly required?: boolean;
  readonly autofocus?: boolean;
}

function Input({ type, ...given }: Omit<FieldProps, "label" | "hint">) {
  switch (type) {
    case "number":
      return <input type="number" {...given} />;
    case "datetime-local":
      return <input type="datetime-local" {...given} />;
    default:
      return <input type="text" autocomplete="off" spellcheck={false} {...given} />;
  }
}

export const Field = ({ label, hint, type = "text", ...input }: FieldProps) => (
  <label class="field">
    <span class="field-label">{label}</span>
    <Input type={type} {...input} />
    {hint !== undefined && <span class="hint">{hint}</span>}
  </label>
);

/** A field for a whole number, 0 or more. */
export const CountField = (props: Omit<FieldProps, "type" | "min" | "step">) => (
  <Field {...props} type="number" min={0} step={1} />
);

interface SelectProps<T extends string> {
  readonly label: string;
  readonly value: T;
  readonly options: readonly { readonly value: T; readonly label: string }[];
  readonly onChange: (value: T) => void;
  readonly hint?: string;
  /** Shows the label only to screen readers. */
  readonly bare?: boolean;
}

export function Select<T extends string>({ label, value, options, onChange, hint, bare }: SelectProps<T>) {
  return (
    <label class={bare === true ? "field bare" : "field"}>
      <span class={bare === true ? "visually-hidden" : "field-label"}>{label}</span>
      <select
        value={value}
        onChange={({ currentTarget }) => {
          const chosen = options.find((option) => option.value === currentTarget.value);
          if (chosen !== undefined) onChange(chosen.value);
        }}
      >
        {options.map((option) => (
          <option key={option.value} value={option.value} selected={option.value === value}>
            {option.label}
          </option>
        ))}
      </select>
      {hint !== undefined && <span class="hint">{hint}</span>}
    </label>
  );
}

export const SearchField = ({
  label,
  value,
  onInput,
}: {
  readonly label: string;
  readonly value: string;
  readonly onInput: (value: string) => void;
}) => (
  <label class="search">
    <Icon name="search" />
    <span class="visually-hidden">{label}</span>
    <input
      type="search"
      placeholder={label}
      value={value}
      spellcheck={false}
      onInput={({ currentTarget }) => onInput(currentTarget.value)}
    />
  </label>
);

export const Empty = ({
  icon,
  title,
  children,
}: {
  readonly icon: IconName;
  readonly title: string;
  readonly children?: ComponentChildren;
}) => (
  <div class="empty">
    <Icon name={icon} />
    <h2>{title}</h2>
    {children}
  </div>
);

interface FileButtonProps {
  readonly label: string;
  readonly accept: string;
  readonly multiple?: boolean;
  readonly icon?: IconName;
  readonly kind?: "plain" | "main";
  readonly onFiles: (files: readonly File[]) => unknown;
}

/** Opens the browser's file dialog. */
export function FileButton({
  label,
  accept,
  multiple = false,
  icon = "upload",
  kind = "plain",
  onFiles,
}: FileButtonProps) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <Button kind={kind} icon={icon} label={label} onClick={() => input.current?.click()} />
      <input
        ref={input}
        type="file"
        hidden
        accept={accept}
        multiple={multiple}
        aria-label={label}
        onChange={({ currentTarget }) => {
          const files = [...(currentTarget.files ?? [])];
          currentTarget.value = "";
          if (files.length > 0) void onFiles(files);
        }}
      />
    </>
  );
}
