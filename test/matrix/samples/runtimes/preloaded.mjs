import "mock-cloud-reco/register";
