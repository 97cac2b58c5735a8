package treetrace

// The tiers of failures, from the most to the least certain.
const (
	Verified  = "verified"
	High      = "high"
	Confirmed = "confirmed"
	Inferred  = "inferred"
)

func Tier(confidence float64) string {
	switch {
	case confidence >= 0.95:
		return Verified
	case confidence >= 0.8:
		return High
	case confidence >= 0.65:
		return Confirmed
	}
	return Inferred
}

// Failure is a failure in failures.json.
type Failure struct {
	ID                string  `json:"id"`
	Type              string  `json:"type"`
	Tier              string  `json:"tier"`
	Confidence        float64 `json:"confidence"`
	Model             *string `json:"model"`
	FirstSeenNodeID   string  `json:"firstSeenNodeId"`
	CorrectedByNodeID *string `json:"correctedByNodeId"`
	Summary           string  `json:"summary"`
	Evidence          string  `json:"evidence"`
	Lesson            string  `json:"lesson"`
	EvalCandidate     bool    `json:"evalCandidate"`
	Git               *Git    `json:"git,omitempty"`
}

// The types of failures. HumanRewrite exists only in git-trace; other readers show it as a label.
const (
	IgnoredConstraint  = "ignored_constraint"
	MisunderstoodGoal  = "misunderstood_goal"
	ScopeDrift         = "scope_drift"
	WrongToolChoice    = "wrong_tool_choice"
	HallucinatedPath   = "hallucinated_file_or_path"
	RepeatedFailedFix  = "repeated_failed_fix"
	Overbuilt          = "overbuilt_solution"
	Underbuilt         = "underbuilt_solution"
	SecurityRisk       = "security_or_privacy_risk"
	DependencyMismatch = "dependency_or_environment_mismatch"
	FormatViolation    = "format_violation"
	Frustration        = "user_frustration"
	AbandonedPath      = "abandoned_path"
	UserRejected       = "user_rejected_action"
	ToolFailed         = "tool_execution_failed"
	ModelRefused       = "model_refused"
	Denied             = "permission_denied"
	HumanRewrite       = "human_rewrite"
)

// The categories of hallucinations; HallucinatedPath is another.
const (
	HallucinatedPackage = "hallucinated_import_or_package"
)

// Hallucinations holds references to things that do not exist.
type Hallucinations struct {
	Verified     bool // checked against the files at the time of the call
	ManifestSeen bool
	List         []Hallucination
}

// Hallucination is a reference to something that does not exist.
type Hallucination struct {
	Category      string         `json:"category"`
	Reference     string         `json:"reference"`
	NodeID        string         `json:"nodeId"`
	Evidence      string         `json:"evidence"`
	CheckedAt     string         `json:"checkedAt,omitempty"` // the tree or commit that lacks the file
	EvalCandidate ReferenceCheck `json:"evalCandidate"`
}

// ReferenceCheck is a test for a reference to a thing that does not exist.
type ReferenceCheck struct {
	Type   string `json:"type"`
	Task   string `json:"task"`
	Target string `json:"target"`
}

// Brief is the content of the texts for the next agent.
type Brief struct {
	Goal        string   `json:"goal"`
	Next        string   `json:"next"`        // the open task; "" if there is none
	Uncommitted []string `json:"uncommitted"` // files with uncommitted lines
	Failing     []string `json:"failing"`     // commands that failed and did not succeed later
	Decisions   []string `json:"decisions"`   // requests whose work still exists
	Constraints []string `json:"constraints"`
	DeadEnds    []string `json:"deadEnds"`
	Thinking    int      `json:"-"` // the number of answers with thinking
	Risks       []Risk   `json:"-"`
}

// Risk is a security failure, for the reports.
type Risk struct{ Tier, NodeID, Text string }
