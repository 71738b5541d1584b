export default { workers: 1, reporter: "line" };
